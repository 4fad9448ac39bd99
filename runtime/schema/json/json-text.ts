/** Parses JSON text exactly: no digit of an integer and no member of an object is lost. */

import { isMistaken, meansBackslash } from './backslash-names.ts';
import { type ParsedJson, parseExactly, type Repetition } from './json-exact.ts';
import { bytesError, JsonSyntaxError, MAX_DEPTH } from './json-walk.ts';

export type { ParsedJson, Repetition, WrittenMembers } from './json-exact.ts';
export { JsonSyntaxError, MAX_DEPTH } from './json-walk.ts';

/** Deeper values are parsed without recursion. */
const RECURSION_DEPTH = 500;
/** An integer with fewer digits is below 2^53. */
const EXACT_DIGITS = 16;

/**
 * A duplicate member replaces the former one; an object may be merged into the former object, as 1.32 does for objects of a Go type. A
 * number that a JavaScript number would not write in the same way (an integer beyond 2^53, but also `2.0` or `1e3`) becomes a
 * `JSON.rawJSON`, so that decoders see its digits. Lone surrogates become U+FFFD.
 *
 * Most texts need one call of the native parser and one pass over the bytes.
 * @param bytes the bytes of the text, if the caller has them
 * @param repetition what happens to a second object of the same name
 * @throws JsonSyntaxError for invalid syntax and for nesting deeper than 10,000
 */
export function parseJson(text: string, bytes: Buffer = Buffer.from(text), repetition: Repetition = 'adds'): ParsedJson {
  try {
    return parsed(text, bytes, repetition);
  } catch (error) {
    if (error instanceof JsonSyntaxError && text.includes(REPLACEMENT)) throw bytesError(bytes) ?? error;
    throw error;
  }
}

/** The character that replaces bytes that are no UTF-8. */
const REPLACEMENT = '\ufffd';

function parsed(text: string, bytes: Buffer, repetition: Repetition): ParsedJson {
  const { members, depth, exact } = survey(bytes);
  if (exact || depth > RECURSION_DEPTH) return parseExactly(text, repetition);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    parseExactly(text);
    throw new JsonSyntaxError(error instanceof Error ? error.message : 'invalid JSON');
  }
  return members === countMembers(value) && !isMistaken(text, value) ? { value, duplicates: [], text } : parseExactly(text, repetition);
}

interface Survey {
  /** colons outside strings */
  readonly members: number;
  readonly depth: number;
  /** whether the text has something that the native parser would lose, or must not see (backslash-names.ts) */
  readonly exact: boolean;
}

/**
 * Scans the bytes once and distinguishes strings from the rest. Its result for invalid JSON does not matter. Bytes are scanned twice as
 * fast as characters.
 */
function survey(bytes: Buffer): Survey {
  const { length } = bytes;
  let members = 0;
  let open = 0;
  let depth = 0;
  let hasBackslash = false;
  const escapes = bytes.includes(0x5c);
  for (let i = 0; i < length; ) {
    const code = bytes[i++] as number;
    if (code === 0x22) {
      hasBackslash = false;
      if (!escapes) {
        i = endOfPlainString(bytes, i) + 1;
        continue;
      }
      for (; i < length; i++) {
        const inner = bytes[i];
        if (inner === 0x22) break;
        if (inner !== 0x5c) continue;
        if (isSurrogateEscape(bytes, ++i)) return { members, depth, exact: true };
        if (meansBackslash(bytes[i], () => bytes.toString('latin1', i + 1, i + 5))) hasBackslash = true;
      }
      i++;
    } else if (code === 0x3a) {
      // the string before a colon is a name
      if (hasBackslash) return { members, depth, exact: true };
      members++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++open > depth) depth = open;
    } else if (code === 0x7d || code === 0x5d) open--;
    else if (code <= 0x39 && (code >= 0x30 || code === 0x2d)) {
      const start = i - 1;
      let plain = true;
      for (; i < length; i++) {
        const inner = bytes[i] as number;
        if (inner >= 0x30 && inner <= 0x39) continue;
        if (inner !== 0x2e && inner !== 0x65 && inner !== 0x45 && inner !== 0x2b && inner !== 0x2d) break;
        plain = false;
      }
      if ((!plain && !isCanonical(bytes.toString('latin1', start, i))) || i - start >= EXACT_DIGITS) return { members, depth, exact: true };
    }
  }
  return { members, depth, exact: depth > MAX_DEPTH };
}

/** How many bytes of a string are compared one by one before a native search, whose call costs about as much. */
const SHORT_STRING = 48;

/**
 * @returns the offset of the closing quote of a string without escapes, or the length of the bytes.
 * @param start offset after the opening quote
 */
function endOfPlainString(bytes: Buffer, start: number): number {
  const { length } = bytes;
  const near = Math.min(length, start + SHORT_STRING);
  for (let i = start; i < near; i++) if (bytes[i] === 0x22) return i;
  const end = near === length ? -1 : bytes.indexOf(0x22, near);
  return end === -1 ? length : end;
}

/** @param position offset of the byte after a backslash */
function isSurrogateEscape(bytes: Buffer, position: number): boolean {
  return bytes[position] === 0x75 && ((bytes[position + 1] ?? 0) | 0x20) === 0x64;
}

function isCanonical(number: string): boolean {
  return String(Number(number)) === number;
}

/** Counts the members of all objects in a value that is at most RECURSION_DEPTH deep. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const element: unknown = value[i];
      if (typeof element === 'object' && element !== null) count += countMembers(element);
    }
    return count;
  }
  const object = value as Record<string, unknown>;
  for (const name in object) {
    count++;
    const member = object[name];
    if (typeof member === 'object' && member !== null) count += countMembers(member);
  }
  return count;
}
