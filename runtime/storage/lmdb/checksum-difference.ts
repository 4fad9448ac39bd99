/**
 * CRC-32 of bytes that differ in a few places from others whose checksum is known. A checksum is linear: what the two differ by is followed from one place to
 * the next in strides that are powers of two, which costs a fifth of what the checksum of some kilobytes does.
 */
import { STEPS } from './checksum-behind-head.ts';

/** Bytes of the longest stride, as a power of two: more than the longest record has. */
const LONGEST = 31;
/** What becomes of a state by so many zeros, for each of its four bytes: 256 states each. Made when it is needed for the first time. */
const strides: Int32Array[] = [];

/** What the checksums of two pieces of memory differ by, which are gone through side by side from their beginnings to their ends. */
export class ChecksumDifference {
  #state: number;

  /** @param seeds what their checksums begin with, each 32 bits */
  constructor(seedBefore: number, seedAfter: number) {
    this.#state = seedBefore ^ seedAfter;
  }

  /** Goes over bytes that may differ. */
  over(before: Buffer, after: Buffer, start: number, end: number): void {
    for (let i = start; i < end; i++) this.#state = step(this.#state, (before[i] as number) ^ (after[i] as number));
  }

  /** Goes over so many bytes that are the same in both. */
  past(count: number): void {
    for (let power = 0, left = count; left > 0; power++, left >>>= 1)
      if ((left & 1) === 1) this.#state = through(strideOf(power), this.#state);
  }

  /** @param checksum of the one. @returns that of the other */
  appliedTo(checksum: number): number {
    return (checksum ^ this.#state) >>> 0;
  }
}

const step = (state: number, byte: number): number => (STEPS[(state ^ byte) & 0xff] as number) ^ (state >>> 8);

/** What a stride makes of a state. */
function through(table: Int32Array, state: number): number {
  return (
    (table[state & 0xff] as number) ^
    (table[256 + ((state >>> 8) & 0xff)] as number) ^
    (table[512 + ((state >>> 16) & 0xff)] as number) ^
    (table[768 + (state >>> 24)] as number)
  );
}

function strideOf(power: number): Int32Array {
  if (power > LONGEST) throw new RangeError('no record is so long');
  for (let made = strides.length; made <= power; made++) strides.push(Int32Array.from({ length: 1024 }, strideOfState(made)));
  return strides[power] as Int32Array;
}

/** Of a state that has one byte only: each stride is twice the one before. */
function strideOfState(power: number): (_: unknown, index: number) => number {
  const half = strides[power - 1];
  return (_, index) => {
    const state = (index & 0xff) << (8 * (index >>> 8));
    return half === undefined ? step(state, 0) : through(half, through(half, state));
  };
}
