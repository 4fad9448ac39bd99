/**
 * Path elements in the text that FieldsV1 gives them: `f:NAME` a member, `k:{...}` an element of a list by its keys, `v:VALUE` an element of a
 * set, `i:INDEX` an element of a list by its position.
 */
import { goQuote } from '../contract/go-quote.ts';
import { compareUtf8, isObject } from '../schema/member.ts';
import { parseNativeJson } from '../schema/native-json.ts';
import { goFloat } from '../schema/scalar/go-float.ts';
import { isRawNumber, numberText } from '../schema/scalar/raw-number.ts';

export function memberElement(name: string): string {
  return `f:${name}`;
}

/** @param value a scalar */
export function valueElement(value: unknown): string {
  return `v:${scalarText(value)}`;
}

/** @param keys names, sorted. @param values by the name's position; those of absent keys are undefined */
export function keyElement(keys: readonly string[], values: readonly unknown[]): string {
  let text = 'k:{';
  for (let i = 0; i < keys.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    if (text.length > 3) text += ',';
    text += `"${keys[i]}":${scalarText(value)}`;
  }
  return `${text}}`;
}

const PLAIN = /^[\w ./:-]*$/;

/** Whether JSON spells a text as it is, and all characters sort by their codes. */
export function isPlainText(text: string): boolean {
  return PLAIN.test(text);
}

/** As `keyElement`, of one key whose value is a plain text. */
export function plainTextKeyElement(key: string, text: string): string {
  return `k:{"${key}":"${text}"}`;
}

const ESCAPED_BY_GO = /[<>&\u2028\u2029]/;
const EVERY_ESCAPED_BY_GO = /[<>&\u2028\u2029]/g;

/** JSON as Go writes it, which escapes what would be markup in a page. */
function scalarText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  if (typeof value !== 'string' || !ESCAPED_BY_GO.test(text)) return text;
  return text.replace(EVERY_ESCAPED_BY_GO, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The parsed form of an element that is no member: the values of its keys by name, a value, or an index. */
type Parsed = { readonly kind: 'k' | 'v' | 'i'; readonly value: unknown };

const PARSED_LIMIT = 4096;
/** Characters of an element that is remembered: values of sets may be long. */
const PARSED_LENGTH = 1024;
const parsed = new Map<string, Parsed | undefined>();

/** undefined for a text that is no element of these kinds. Comparing the same elements again and again parses them once. */
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
  if (kind === 'i:') return /^-?\d+$/.test(text) ? { kind: 'i', value: Number(text) } : undefined;
  if (kind !== 'k:' && kind !== 'v:') return undefined;
  try {
    const value: unknown = parseNativeJson(text);
    return kind === 'v:' ? { kind: 'v', value } : isObject(value) ? { kind: 'k', value } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The text of an element as this server writes it, of whatever spelling a client has used.
 * @returns undefined where it is no element of a kind that we know; such are left out, as in 1.32
 * @throws Error for an element of a known kind that is malformed
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

/** The order of FieldsV1: members by name, then elements by keys, by value (numbers before texts), by position. */
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

/** Two elements with the same single key, whose values are texts without anything escaped. @returns undefined for others */
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

/** An element as conflicts show it: `.name`, `[name="a",port=1]`, `[="x"]`, `[0]`. */
export function shownElement(element: string): string {
  if (element[0] === 'f') return `.${element.slice(2)}`;
  const found = parse(element);
  if (found === undefined) return `[${element}]`;
  if (found.kind === 'i') return `[${found.value}]`;
  if (found.kind === 'v') return `[=${shownValue(found.value)}]`;
  const keys = Object.entries(found.value as object).map(([name, value]) => `${name}=${shownValue(value)}`);
  return `[${keys.join(',')}]`;
}

/** As structured-merge-diff shows values. Keys are texts and numbers; but an intent is told about whatever it has. */
function shownValue(value: unknown): string {
  if (typeof value === 'string') return goQuote(value);
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : goFloat(value);
  if (Array.isArray(value)) return `[${value.map(shownValue).join(',')}]`;
  if (!isObject(value) || isRawNumber(value)) return numberText(value) ?? String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${shownValue(each)}`)
    .join('');
}
