/** The tags that 1.32 interprets (RFC 8949 section 3.4): times, big numbers, and byte strings that are texts in JSON. */

import { ScalarError } from '../scalar/scalar-error.ts';
import { parseInstant, ZERO_TIME_SECONDS } from '../scalar/time.ts';
import { CborError } from './error.ts';
import { DOUBLE, HALF, informationOf, majorOf, NEGATIVE, nameOf, POSITIVE, PRIMITIVE, TEXT } from './head.ts';

export const TAGS = { text: 0, epoch: 1, bignum: 2, negativeBignum: 3, base64Url: 21, base64: 22, base16: 23 } as const;

/** Whether the tag says how byte strings become texts; it applies to all byte strings within its value. */
export const isTextTag = (tag: number): boolean => tag >= TAGS.base64Url && tag <= TAGS.base16;

/** @param first first byte of the tagged item @throws CborError if the tag does not allow such an item */
export function requireContent(tag: number, first: number): void {
  const major = majorOf(first);
  const refuse = (tags: string, wanted: string): never => {
    throw new CborError(`cbor: tag number ${tags} must be followed by ${wanted}, got ${nameOf(major)}`);
  };
  if (tag === TAGS.text && major !== TEXT) refuse('0', 'text string');
  if (tag === TAGS.epoch && !isNumber(major, informationOf(first))) refuse('1', 'integer or floating-point number');
}

const isNumber = (major: number, information: number): boolean =>
  major === POSITIVE || major === NEGATIVE || (major === PRIMITIVE && information >= HALF && information <= DOUBLE);

/** The text that bytes become under one of the three text tags. */
export function encodedText(tag: number, bytes: Buffer): string {
  if (tag === TAGS.base64) return bytes.toString('base64');
  return bytes.toString(tag === TAGS.base16 ? 'hex' : 'base64url');
}

/** A time in the form in which 1.32 writes it. @throws CborError for a text that is no time */
export function timeText(text: string): string {
  try {
    parseInstant(text);
  } catch (error) {
    if (!(error instanceof ScalarError)) throw error;
    throw new CborError(`cbor: cannot set ${text} for time.Time: ${error.message}`);
  }
  const [, time = '', digits = '', zone = ''] = /^(.{19})(?:[.,](\d+))?(.+)$/.exec(text) ?? [];
  const isUtc = zone === '+00:00' || zone === '-00:00';
  return `${time}${fraction(digits.slice(0, NANO_DIGITS))}${isUtc ? 'Z' : zone}`;
}

const NANO_DIGITS = 9;
const NANOS = 1e9;
/** end of year 9999, in seconds since 1970 */
const TIME_END = 253_402_300_800;
/** start of year 0, in seconds since 1970 */
const TIME_START = ZERO_TIME_SECONDS - 366 * 86_400;

function fraction(digits: string): string {
  const told = digits.replace(/0+$/, '');
  return told === '' ? '' : `.${told}`;
}

/** @param seconds since 1970 @throws CborError for a time outside of the years 0 to 9999 */
export function epochText(seconds: number): string {
  // digits beyond nanoseconds are truncated towards 1970
  const part = Math.trunc((seconds % 1) * NANOS);
  const whole = Math.trunc(seconds) - (part < 0 ? 1 : 0);
  if (whole < TIME_START || whole >= TIME_END)
    throw new CborError(
      'cbor: decoded time cannot be represented in RFC3339 format with sub-second precision: Time.MarshalText: year outside of range [0,9999]',
    );
  const nanos = part < 0 ? part + NANOS : part;
  const text = new Date(whole * 1000).toISOString().slice(0, 19);
  return `${text}${fraction(String(nanos).padStart(NANO_DIGITS, '0'))}Z`;
}
