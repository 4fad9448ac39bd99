/** What the functions of the strings extension do, as the language's implementation in 1.32 does it. */
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

/** An empty text stands wherever it is looked for, even outside of the text; nothing else stands behind its end. */
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
  // 1.32 looks from the last character on, before which an empty text begins
  if (text === '') return outOfRange(-1n);
  const found = lastIndexUntil(text, part, text.length);
  return BigInt(found === -1 ? -1 : new CodePoints(text).pointAt(found));
}

/** @param until the last place at which the part may begin */
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

/** Unicode's White_Space, which JavaScript's own is not. */
const SPACE = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/;

export function trim(text: string): Value {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text[start] as string)) start++;
  while (end > start && SPACE.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

/** @param limit how many places are replaced; all for a negative one. An empty part stands around every code point. */
export function replace(text: string, part: string, by: string, limit = -1n): Value {
  if (limit === 0n || part === by) return text;
  return part === '' ? surround(text, by, limit) : joinTexts(piecesOf(text, part, limit < 0n ? undefined : Number(limit)), by);
}

/** @param limit how often the text stands between the points, one after the other */
function surround(text: string, by: string, limit: bigint): Value {
  const { size } = new CodePoints(text);
  const count = limit < 0n || limit > BigInt(size) ? size + 1 : Number(limit);
  if (text.length + count * by.length > MAX_TEXT_LENGTH) return TEXT_TOO_LONG;
  const points = explode(text, Number.POSITIVE_INFINITY);
  return points.map((point, index) => (index < count ? by + point : point)).join('') + (count > size ? by : '');
}

/** @param limit how many pieces at most, with the rest of the text in the last one; all for a negative one */
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

/** The text as the language's literals have it, in double quotes. Halves of surrogate pairs become U+FFFD. */
export function quote(text: string): Value {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
  const escaped = text.toWellFormed().replace(/[\u0007-\r\\"]/g, (character) => ESCAPES[character] as string);
  return `"${escaped}"`;
}
