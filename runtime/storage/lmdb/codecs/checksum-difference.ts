/**
 * CRC-32 of bytes that differ in a few places from others whose checksum is known. A checksum is linear: what the two differ by goes over what they have in
 * common as a polynomial is multiplied by a power of x, which costs a tenth of what the checksum of some kilobytes does.
 */
import { POLYNOMIAL, STEPS } from './checksum-behind-head.ts';

/** What the checksums of two pieces of memory differ by, which are gone through side by side from their beginnings to their ends. */
export class ChecksumDifference {
  #state: number;

  /** @param seedBefore what the one checksum begins with, 32 bits, as `seedAfter` for the other */
  constructor(seedBefore: number, seedAfter: number) {
    this.#state = seedBefore ^ seedAfter;
  }

  /** Goes over bytes that may differ. @param start of them in both. @param end exclusive */
  over(before: Buffer, after: Buffer, start: number, end: number): void {
    let state = this.#state;
    for (let i = start; i < end; i++)
      state = (STEPS[(state ^ (before[i] as number) ^ (after[i] as number)) & 0xff] as number) ^ (state >>> 8);
    this.#state = state;
  }

  /** Goes over so many bytes that are the same in both. @param count below 2^31 */
  past(count: number): void {
    this.#state = product(this.#state, bytesOf(count));
  }

  /** @param checksum of the one. @returns that of the other */
  appliedTo(checksum: number): number {
    return (checksum ^ this.#state) >>> 0;
  }
}

/** The product of two polynomials modulo that of CRC-32, each with its bits in reverse. It has no branches, which processors could not foresee. */
function product(a: number, b: number): number {
  let sum = 0;
  let shifted = b;
  for (let left = a; left !== 0; left <<= 1) {
    sum ^= shifted & (left >> 31);
    shifted = (shifted >>> 1) ^ (POLYNOMIAL & -(shifted & 1));
  }
  return sum;
}

/** 1, and x to the power of 8 times each power of two. */
const ONE = 0x8000_0000 | 0;
const SQUARES = new Int32Array(32);
SQUARES[0] = ONE >>> 8;
for (let i = 1; i < SQUARES.length; i++) SQUARES[i] = product(SQUARES[i - 1] as number, SQUARES[i - 1] as number);

/** The powers that were asked for last, each at the place that the lowest bits of its count are: objects of a kind are often as long as one another. */
const PLACES = 256;
const counts = new Int32Array(PLACES);
const powers = new Int32Array(PLACES).fill(ONE);

/** Returns the number by which bytes of zeros multiply a state. @param count the number of the bytes, below 2^31 */
function bytesOf(count: number): number {
  const place = count % PLACES;
  if (counts[place] !== count) {
    let power = ONE;
    for (let bit = 0, left = count; left > 0; bit++, left >>>= 1) if ((left & 1) === 1) power = product(power, SQUARES[bit] as number);
    counts[place] = count;
    powers[place] = power;
  }
  return powers[place] as number;
}
