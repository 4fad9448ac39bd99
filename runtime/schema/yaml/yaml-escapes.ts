/** Reads escapes: those of texts in double quotes, and those of tags. */
import type { Cursor } from './yaml-cursor.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};
/** How many digits follow. */
const DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** @param cursor at the backslash */
export function readEscape(cursor: Cursor): string {
  const escaped = cursor.text[cursor.at + 1] ?? '';
  const known = Object.hasOwn(ESCAPES, escaped) ? ESCAPES[escaped] : undefined;
  const count = Object.hasOwn(DIGITS, escaped) ? (DIGITS[escaped] as number) : 0;
  if (known === undefined && count === 0) cursor.fail('found unknown escape character');
  cursor.skip(2);
  if (known !== undefined) return known;
  const digits = cursor.text.slice(cursor.at, cursor.at + count);
  if (digits.length < count || !/^[0-9A-Fa-f]+$/.test(digits)) cursor.fail('did not find expected hexdecimal number');
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) cursor.fail('found invalid Unicode character escape code');
  cursor.skip(count);
  return String.fromCodePoint(code);
}

/** Reads the bytes of one character of a tag, each after a `%`. */
export function readOctets(cursor: Cursor): string {
  const bytes: number[] = [];
  for (let size = 1; bytes.length < size; ) {
    const [, digits] = /^%([0-9A-Fa-f]{2})$/.exec(cursor.text.slice(cursor.at, cursor.at + 3)) ?? [];
    if (digits === undefined) cursor.fail('did not find URI escaped octet');
    const byte = Number.parseInt(digits, 16);
    if (bytes.length === 0) size = sizeOf(byte) ?? cursor.fail('found an incorrect leading UTF-8 octet');
    else if ((byte & 0xc0) !== 0x80) cursor.fail('found an incorrect trailing UTF-8 octet');
    bytes.push(byte);
    cursor.skip(3);
  }
  return Buffer.from(bytes).toString();
}

/** How many bytes a character has that begins with this one. */
function sizeOf(byte: number): number | undefined {
  if (byte < 0x80) return 1;
  if ((byte & 0xe0) === 0xc0) return 2;
  if ((byte & 0xf0) === 0xe0) return 3;
  return (byte & 0xf8) === 0xf0 ? 4 : undefined;
}
