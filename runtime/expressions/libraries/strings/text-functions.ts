/** Implements the functions of the strings extension as cel-go does in 1.32. */
import { ESCAPES } from '../../../contract/go-quote.ts';
import { valueText } from '../../values/describe.ts';
import { ArrayList, ErrorValue, type ListValue, type Value } from '../../values/value.ts';
import { joinTexts, MAX_TEXT_LENGTH, TEXT_TOO_LONG } from '../bounded-text.ts';
import { CodePoints, explode } from './code-points.ts';
import { indexFrom, lastIndexUntil, piecesOf } from './search.ts';

const outOfRange = (index: bigint): ErrorValue => new ErrorValue(`index out of range: ${index}`);
const isWithin = (index: bigint, end: number): boolean => index >= 0n && index <= BigInt(end);

export function charAt(text: string, index: bigint): Value {
  const points = new CodePoints(text);
  if (!isWithin(index, points.size)) return outOfRange(index);
  const unit = points.unitAt(Number(index));
  return unit === text.length ? '' : String.fromCodePoint(text.codePointAt(unit) as number);
}

/** An empty text is found at `from`, even outside of the text; anything else is not found at or after the end. */
export function indexOf(text: string, part: string, from = 0n): Value {
  if (part === '') return from;
  const points = new CodePoints(text);
  if (from < 0n) return outOfRange(from);
  if (from >= BigInt(points.size)) return -1n;
  const found = indexFrom(text, part, points.unitAt(Number(from)));
  return BigInt(found === -1 ? -1 : points.pointAt(found));
}

export function lastIndexOf(text: string, part: string): Value {
  if (part === '') return BigInt(new CodePoints(text).size);
  // 1.32 begins at the last character, which an empty text does not have
  if (text === '') return outOfRange(-1n);
  const found = lastIndexUntil(text, part, text.length);
  return BigInt(found === -1 ? -1 : new CodePoints(text).pointAt(found));
}

/** @param until the last index at which the part may begin */
export function lastIndexOfUntil(text: string, part: string, until: bigint): Value {
  if (part === '') return until;
  const points = new CodePoints(text);
  if (until < 0n) return outOfRange(until);
  if (until >= BigInt(points.size)) return -1n;
  const found = lastIndexUntil(text, part, points.unitAt(Number(until)));
  return BigInt(found === -1 ? -1 : points.pointAt(found));
}

export function substring(text: string, start: bigint): Value {
  const points = new CodePoints(text);
  return isWithin(start, points.size) ? text.slice(points.unitAt(Number(start))) : outOfRange(start);
}

export function substringBetween(text: string, start: bigint, end: bigint): Value {
  if (start > end) return new ErrorValue(`invalid substring range. start: ${start}, end: ${end}`);
  const points = new CodePoints(text);
  if (!isWithin(start, points.size)) return outOfRange(start);
  if (!isWithin(end, points.size)) return outOfRange(end);
  return text.slice(points.unitAt(Number(start)), points.unitAt(Number(end)));
}

export const lowerAscii = (text: string): Value => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
export const upperAscii = (text: string): Value => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());

/** The Unicode property White_Space, which differs from `\s` of JavaScript. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export function trim(text: string): Value {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start] as string)) start++;
  while (end > start && SPACE.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

/** @param limit the most replacements; negative: all. An empty part is found around every code point. */
export function replace(text: string, part: string, by: string, limit = -1n): Value {
  if (limit === 0n || part === by) return text;
  return part === '' ? surround(text, by, limit) : joinTexts(piecesOf(text, part, limit < 0n ? undefined : Number(limit)), by);
}

/** @param limit how often `by` is inserted, from the beginning */
function surround(text: string, by: string, limit: bigint): Value {
  const { size } = new CodePoints(text);
  const count = limit < 0n || limit > BigInt(size) ? size + 1 : Number(limit);
  if (text.length + count * by.length > MAX_TEXT_LENGTH) return TEXT_TOO_LONG;
  const points = explode(text, Number.POSITIVE_INFINITY);
  return points.map((point, index) => (index < count ? by + point : point)).join('') + (count > size ? by : '');
}

/** @param limit the most pieces, the last of which has the rest of the text; negative: all */
export function split(text: string, separator: string, limit = -1n): Value {
  if (limit === 0n) return new ArrayList([]);
  if (separator === '') return new ArrayList(explode(text, limit < 0n ? Number.POSITIVE_INFINITY : Number(limit)));
  return new ArrayList(piecesOf(text, separator, limit < 0n ? undefined : Number(limit) - 1));
}

export function join(list: ListValue, separator = ''): Value {
  const texts: string[] = [];
  for (const item of list) {
    if (item instanceof ErrorValue) return item;
    if (typeof item !== 'string') return new ErrorValue(`join: invalid input: ${valueText(item)}`);
    texts.push(item);
  }
  return joinTexts(texts, separator);
}

export const reverse = (text: string): Value => explode(text, Number.POSITIVE_INFINITY).reverse().join('');

/** Quotes a text as a literal of CEL. Lone surrogates become U+FFFD. */
export function quote(text: string): Value {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  const escaped = text.toWellFormed().replace(/[\u0007-\r\\"]/g, (character) => ESCAPES[character] as string);
  return `"${escaped}"`;
}
