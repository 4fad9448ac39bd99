/**
 * Path elements in the form of FieldsV1: `f:NAME` is a member, `k:{...}` an element of a list by its keys, `v:VALUE` an element of a set,
 * `i:INDEX` an element of a list by its index.
 */

import { goQuote } from '../contract/go-quote.ts';
import { writeJson } from '../contract/json-writer.ts';
import { compareUtf8, isObject } from '../schema/json/member.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';
import { goFloat } from '../schema/scalar/go-float.ts';
import { isRawNumber, numberText } from '../schema/scalar/raw-number.ts';

export function memberElement(name: string): string {
  return `f:${name}`;
}

/** @param value a scalar */
export function valueElement(value: unknown): string {
  return `v:${scalarText(value)}`;
}

/** @param keys sorted names @param values by the index of the key; undefined for absent keys */
export function keyElement(keys: readonly string[], values: readonly unknown[]): string {
  let text = 'k:{';
  for (let i = 0; i < keys.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    if (text.length > 3) text += ',';
    const key = keys[i] as string;
    text += `${isPlainText(key) ? `"${key}"` : JSON.stringify(key)}:${scalarText(value)}`;
  }
  return `${text}}`;
}

const PLAIN = /^[\w ./:-]*$/;

/** Whether a text has no escapes in JSON and sorts by its code units. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/** Like `keyElement`, for one key whose value is a plain text. */
export function plainTextKeyElement(key: string, text: string): string {
  return `k:{"${key}":"${text}"}`;
}

const ESCAPED_BY_GO = /[<>&\u2028\u2029]/;
const EVERY_ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

/** Writes JSON as Go does, which escapes characters with a meaning in HTML. */
function scalarText(value: unknown): string {
  const text = writeJson(value) ?? 'null';
  if (typeof value !== 'string' || !ESCAPED_BY_GO.test(text)) return text;
  return text.replace(EVERY_ESCAPED_BY_GO, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The parsed form of an element that is no member: the values of its keys by name, a value, or an index. */
type Parsed = { readonly kind: 'k' | 'v' | 'i'; readonly value: unknown };

const INDEX = /^[+-]?\d+$/;
/** Elements that are remembered at most. */
const PARSED_LIMIT = 4096;
/** Longer elements are not remembered: values of sets may be long. */
const PARSED_LENGTH = 1024;
const parsed = new Map<string, Parsed | undefined>();

/** @returns undefined for an element of another kind. Results are remembered, because the same elements are compared again and again. */
function parse(element: string): Parsed | undefined {
  if (parsed.has(element)) return parsed.get(element);
  if (parsed.size >= PARSED_LIMIT) parsed.clear();
  const found = parseFresh(element);
  if (element.length <= PARSED_LENGTH) parsed.set(element, found);
  return found;
}

function parseFresh(element: string): Parsed | undefined {
  const kind = element.slice(0, 2);
  const text = element.slice(2);
  if (kind === 'i:') return parseIndex(text);
  if (kind !== 'k:' && kind !== 'v:') return undefined;
  try {
    const value: unknown = parseNativeJson(text);
    if (kind === 'v:') return { kind: 'v', value };
    // structured-merge-diff reads null as keys without members
    return value === null ? { kind: 'k', value: {} } : isObject(value) ? { kind: 'k', value } : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a number of 64 bits as Go's `strconv.Atoi` does, which takes a plus too. */
function parseIndex(text: string): Parsed | undefined {
  if (!INDEX.test(text)) return undefined;
  const index = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, index) === index ? { kind: 'i', value: Number(index) } : undefined;
}

/**
 * The text of an element as this server writes it, whatever its spelling.
 * @returns undefined for an element of an unknown kind, which is left out as in 1.32
 * @throws Error for a malformed element of a known kind
 */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  if (text[0] === 'f') return text;
  if (!'kvi'.includes(text[0] as string)) return undefined;
  const found = parseFresh(text);
  if (found === undefined) throw new Error(`malformed path element: ${text}`);
  if (found.kind === 'i') return `i:${found.value}`;
  if (found.kind === 'v') return valueElement(found.value);
  const keys = Object.keys(found.value as object).sort(compareUtf8);
  return keyElement(
    keys,
    keys.map((key) => (found.value as Record<string, unknown>)[key]),
  );
}

const ORDER: Readonly<Record<string, number>> = { '.': 0, f: 1, k: 2, v: 3, i: 4 };

/** The order of FieldsV1: members by name, then elements by keys, by value (numbers before texts), by index. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const kind = (ORDER[a[0] as string] as number) - (ORDER[b[0] as string] as number);
  if (kind !== 0) return kind;
  if (a[0] === 'f') return compareUtf8(a, b);
  const texts = compareTextKeys(a, b);
  if (texts !== undefined) return texts;
  const [left, right] = [parse(a), parse(b)];
  if (left === undefined || right === undefined) return compareUtf8(a, b);
  return left.kind === 'k' ? compareKeys(left.value as object, right.value as object) : compareScalars(left.value, right.value);
}

/** Compares elements with the same single key, whose values are texts without escapes. @returns undefined for others */
function compareTextKeys(a: string, b: string): number | undefined {
  const start = a.indexOf('":"') + 3;
  if (start < 6 || !b.startsWith(a.slice(0, start)) || !endsAtOnce(a, start) || !endsAtOnce(b, start)) return undefined;
  return compareUtf8(a.slice(start, -2), b.slice(start, -2));
}

function endsAtOnce(element: string, start: number): boolean {
  return element.indexOf('"', start) === element.length - 2 && !element.includes('\\', start);
}

function compareKeys(a: object, b: object): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [leftName, leftValue] = left[i] as [string, unknown];
    const [rightName, rightValue] = right[i] as [string, unknown];
    const order = compareUtf8(leftName, rightName) || compareScalars(leftValue, rightValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareScalars(a: unknown, b: unknown): number {
  const rank = scalarRank(a) - scalarRank(b);
  if (rank !== 0) return rank;
  if (typeof a === 'string') return compareUtf8(a, b as string);
  if (typeof a === 'number' || typeof a === 'boolean') return Number(a) - Number(b);
  return 0;
}

function scalarRank(value: unknown): number {
  if (typeof value === 'number' || isRawNumber(value)) return 0;
  if (typeof value === 'string') return 1;
  return typeof value === 'boolean' ? 2 : 3;
}

/** An element in conflicts: `.name`, `[name="a",port=1]`, `[="x"]`, `[0]`. */
export function shownElement(element: string): string {
  if (element[0] === 'f') return `.${element.slice(2)}`;
  const found = parse(element);
  if (found === undefined) return `[${element}]`;
  if (found.kind === 'i') return `[${found.value}]`;
  if (found.kind === 'v') return `[=${shownValue(found.value)}]`;
  const keys = Object.entries(found.value as object).map(([name, value]) => `${name}=${shownValue(value)}`);
  return `[${keys.join(',')}]`;
}

/** Formats values as structured-merge-diff does. Keys are texts and numbers, but an invalid intent may contain anything. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  if (Array.isArray(value)) return `[${value.map(shownValue).join(',')}]`;
  if (!isObject(value) || isRawNumber(value)) return numberText(value) ?? String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${shownValue(each)}`)
    .join('');
}
