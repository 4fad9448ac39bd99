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

export const majorOf = (byte: number): number => byte >> 5;
export const informationOf = (byte: number): number => byte & 0x1f;
export const nameOf = (major: number): string => NAMES[major] as string;
