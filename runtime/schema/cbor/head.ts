/** Heads of CBOR data items (RFC 8949 section 3): the major type, and the number that is a value, a length or a count. */

export const POSITIVE = 0;
export const NEGATIVE = 1;
export const BYTES = 2;
export const TEXT = 3;
export const ARRAY = 4;
export const MAP = 5;
export const TAG = 6;
export const PRIMITIVE = 7;

/** ends an item of indefinite length */
export const BREAK = 0xff;

/** Additional information that says that a number of one byte follows; the next three values mean two, four and eight bytes. */
export const ONE_BYTE = 24;
export const HALF = 25;
export const SINGLE = 26;
export const DOUBLE = 27;
/** additional information of an item that ends with a break */
export const INDEFINITE = 31;

/** The tag of self-described CBOR (RFC 8949 section 3.4.6), with which every stored or sent object begins. */
export const SELF_DESCRIBED = Buffer.from('d9d9f7', 'hex');

/** Major types as messages name them. */
const NAMES = ['positive integer', 'negative integer', 'byte string', 'UTF-8 text string', 'array', 'map', 'tag', 'primitives'] as const;

const HIGH = 2 ** 32;
/** If the upper half of an integer of eight bytes reaches this, a double may not hold the integer exactly. */
const FIRST_INEXACT = 2 ** 21;

/** Reads an integer of one, two, four or eight bytes. @returns a bigint if a number might not be exact */
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
