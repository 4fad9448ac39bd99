/**
 * CRC-32 of what stands behind the first four bytes of a piece of memory, which are its checksum. A view of the rest costs a third of what a short record's
 * checksum costs, so the checksum is taken of the whole, from a state that the first four bytes lead to the wanted one.
 */
import { crc32 } from 'node:zlib';

/** That of IEEE 802.3, with its bits in reverse, as zlib has it. */
export const POLYNOMIAL = 0xedb88320;
/** What a byte makes of a state of zeros. Not to be changed. */
export const STEPS = Int32Array.from({ length: 256 }, (_, byte) => stepOf(byte));
/** Which byte it was, by the highest byte of that. */
const BYTES = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) BYTES[(STEPS[byte] as number) >>> 24] = byte;

function stepOf(byte: number): number {
  let state = byte;
  for (let bit = 0; bit < 8; bit++) state = (state & 1) === 0 ? state >>> 1 : (state >>> 1) ^ POLYNOMIAL;
  return state;
}

/**
 * @param bytes four at least
 * @param seed 32 bits without a sign, with which the checksum begins
 * @returns what `crc32` would give of the bytes from the fourth on
 */
export function checksumBehindHead(bytes: Buffer, seed: number): number {
  return crc32(bytes, ~(beforeZeros(~seed) ^ headOf(bytes)) >>> 0);
}

/** The state that four bytes of zeros lead to this one from. Other bytes lead to it from one that is as different from that as they are from zeros. */
function beforeZeros(state: number): number {
  let before = state;
  for (let i = 0; i < 4; i++) {
    const byte = BYTES[before >>> 24] as number;
    before = ((before ^ (STEPS[byte] as number)) << 8) | byte;
  }
  return before;
}

const headOf = (bytes: Buffer): number =>
  (bytes[0] as number) | ((bytes[1] as number) << 8) | ((bytes[2] as number) << 16) | ((bytes[3] as number) << 24);
