/**
 * The checksum of bytes that stand one behind the other, from the checksums of both: CRC-32 (RFC 1952 section 8) is the remainder of a polynomial over two
 * elements, so bytes that follow multiply it by a power of x. The bit of the highest power stands last, as in the checksum itself.
 */

const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;

function product(a: number, b: number): number {
  let result = 0;
  let power = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if ((rest & ONE) !== 0) result ^= power;
    power = (power & 1) === 0 ? power >>> 1 : (power >>> 1) ^ POLYNOMIAL;
  }
  return result >>> 0;
}

/** x to the power of 2^n, by n; higher ones are not needed for bodies of less than 512 MB. */
const DOUBLINGS: readonly number[] = doublings(32);

function doublings(count: number): number[] {
  const powers = [ONE >>> 1];
  for (let last = powers[0] as number; powers.length < count; powers.push(last)) last = product(last, last);
  return powers;
}

/** What a checksum is multiplied by where `length` bytes follow. */
export function shiftBy(length: number): number {
  let shift = ONE;
  for (let bits = length * 8, n = 0; bits > 0; bits = Math.floor(bits / 2), n++)
    if (bits % 2 === 1) shift = product(DOUBLINGS[n] as number, shift);
  return shift;
}

/** @param shift as of `shiftBy`, of the length of what follows */
export function joinedChecksum(before: number, following: number, shift: number): number {
  return (product(shift, before) ^ following) >>> 0;
}
