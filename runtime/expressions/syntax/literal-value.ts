import { type Literal, Uint } from './literal.ts';
import { Token } from './tokens.ts';

const MIN_INT = -(2n ** 63n);
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;
const SAFE_DIGITS = 15;

/** A token has the form of a literal but no valid value. */
export class NoLiteralValue extends Error {}

/** @param text of a token @param negative whether a minus precedes it @throws NoLiteralValue */
export function literalValue(kind: Token, text: string, negative: boolean): Literal {
  switch (kind) {
    case Token.Int:
      return intValue(text, negative);
    case Token.Uint:
      return uintValue(text);
    case Token.Double:
      return doubleValue(text, negative);
    case Token.String:
      return stringValue(text);
    case Token.Bytes:
      return bytesValue(text);
    case Token.True:
      return true;
    case Token.False:
      return false;
    default:
      return null;
  }
}

/** @throws NoLiteralValue for more than 64 bits */
function intValue(text: string, negative: boolean): bigint {
  const magnitude = text.length <= SAFE_DIGITS ? BigInt(Number(text)) : BigInt(text);
  const value = negative ? -magnitude : magnitude;
  if (value < MIN_INT || value > MAX_INT) throw new NoLiteralValue('invalid int literal');
  return value;
}

/** @param text with its suffix `u` @throws NoLiteralValue for more than 64 bits */
function uintValue(text: string): Uint {
  const value = BigInt(text.slice(0, -1));
  if (value > MAX_UINT) throw new NoLiteralValue('invalid uint literal');
  return new Uint(value);
}

/** @throws NoLiteralValue for a number that exceeds doubles */
function doubleValue(text: string, negative: boolean): number {
  const value = Number(text);
  if (value === Number.POSITIVE_INFINITY) throw new NoLiteralValue('invalid double literal');
  return negative ? -value : value;
}

/** @param text with its prefix and quotation marks @throws NoLiteralValue for code points that do not exist */
function stringValue(text: string): string {
  const { inner, raw } = contents(text);
  return raw || !inner.includes('\\') ? inner : inner.replace(ESCAPE, (sequence) => String.fromCodePoint(codePoint(sequence)));
}

/** Octal and hexadecimal escapes are single bytes here, and escapes of code points are invalid. @throws NoLiteralValue */
function bytesValue(text: string): Uint8Array {
  const { inner, raw } = contents(text.slice(1));
  if (raw || !inner.includes('\\')) return Buffer.from(inner);
  return Buffer.concat(inner.split(ESCAPE).map((part, index) => (index % 2 === 0 ? Buffer.from(part) : byte(part))));
}

/**
 * The contents of a text without its prefix and quotation marks. All line ends become `\
 * `.
 */
function contents(text: string): { inner: string; raw: boolean } {
  const raw = (text.charCodeAt(0) | 0x20) === 0x72;
  const quoted = raw ? text.slice(1) : text;
  const marks = quoted.length >= 6 && (quoted.startsWith('"""') || quoted.startsWith("'''")) ? 3 : 1;
  const inner = quoted.slice(marks, -marks);
  return { inner: inner.includes('\r') ? inner.replace(/\r\n?/g, '\n') : inner, raw };
}

const ESCAPE = /(\\(?:[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[\s\S]))/g;
const SIMPLE: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function codePoint(sequence: string): number {
  const kind = sequence.charAt(1);
  if (/[xXuU]/.test(kind)) {
    const code = Number.parseInt(sequence.slice(2), 16);
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new NoLiteralValue('invalid unicode code point');
    return code;
  }
  if (/[0-3]/.test(kind)) return Number.parseInt(sequence.slice(1), 8);
  return (SIMPLE[kind] ?? kind).charCodeAt(0);
}

function byte(sequence: string): Uint8Array {
  if (/[uU]/.test(sequence.charAt(1))) throw new NoLiteralValue('unable to unescape string');
  return Uint8Array.of(codePoint(sequence));
}
