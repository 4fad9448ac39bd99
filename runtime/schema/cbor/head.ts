/** Heads of CBOR's data items (RFC 8949 section 3): what an item is, and the number that says how long or how much. */

export const POSITIVE = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const TAG = 6;
export const PRIMITIVE = 7;

/** Ends an item of indefinite length. */
export const BREAK = 0xff;

/** The smallest of the additional informations that a number follows, of one byte; those of two, four and eight bytes are the next ones. */
export const ONE_BYTE = 24;
export const HALF = 25;
export const SINGLE = 26;
export const DOUBLE = 27;
/** The additional information of what ends with a break. */
export const INDEFINITE = 31;

/** Before every object that is written (RFC 8949 section 3.4.6): nothing else begins so. */
export const SELF_DESCRIBED = Buffer.from('d9d9f7', 'hex');

/** Types as messages name them. */
const NAMES = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives'] as const;

const HIGH = 2 ** 32;
/** Of the upper half of eight bytes: beyond it doubles do not hold all integers. */
const FIRST_INEXACT = 2 ** 21;

/** The number of one, two, four or eight bytes; a bigint where it is beyond what JavaScript's numbers hold exactly. */
export function numberAt(bytes: Buffer, at: number, size: number): number | bigint {
  if (size === 1) return bytes[at] as number;
  if (size === 2) return bytes.readUInt16BE(at);
  const upper = bytes.readUInt32BE(at);
  if (size === 4) return upper;
  return upper < FIRST_INEXACT ? upper * HIGH + bytes.readUInt32BE(at + 4) : bytes.readBigUInt64BE(at);
}

export const majorOf = (byte: number): number => byte >> 5;
export const informationOf = (byte: number): number => byte & 0x1f;
export const nameOf = (major: number): string => NAMES[major] as string;
