/**
 * Writes values as JSON, whatever their depth: JSON from outside may have 10,000 levels, but `JSON.stringify` recurses wherever V8 has no
 * quick way for a value, as for indented texts, raw numbers and joined strings, and then has room for some 5,600 lists.
 */

/** What texts of the same value differ in. */
export interface ValueForm {
  /** spaces of each level; 0: everything stands on one line */
  readonly indent: number;
  readonly list: readonly [before: string, behind: string];
  readonly object: readonly [before: string, behind: string];
  readonly colon: string;
  readonly comma: string;
  readonly inOrder: (names: string[]) => string[];
  /** @param value a name, or a value that has no members */
  readonly leaf: (value: unknown) => string;
}

export const ON_ONE_LINE: ValueForm = {
  indent: 0,
  list: ['[', ']'],
  object: ['{', '}'],
  colon: ':',
  comma: ',',
  inOrder: (names) => names,
  leaf: (value) => JSON.stringify(value),
};

/**
 * Writes the bytes that `JSON.stringify` would write had it room enough. As there, what is undefined has no text.
 * @param indent spaces of each level; 0: everything stands on one line
 */
export function writeJson(value: unknown, indent = 0): string {
  try {
    return indent === 0 ? JSON.stringify(value) : JSON.stringify(value, null, indent);
  } catch (error) {
    if (!isStackOverflow(error)) throw error;
    return writeLevels(value, indent === 0 ? ON_ONE_LINE : { ...ON_ONE_LINE, indent, colon: ': ' });
  }
}

/** Not every RangeError is one: a text may also be longer than a string can be. */
export const isStackOverflow = (error: unknown): boolean => error instanceof RangeError && error.message.includes('call stack');

/** Objects that differ in the order of their members alone have the same text. */
export const writeSorted = (value: unknown): string => writeLevels(value, { ...ON_ONE_LINE, inOrder: (names) => names.sort() });

/** A list or an object that has been begun. */
interface Level {
  readonly value: object;
  /** undefined: a list */
  readonly names: readonly string[] | undefined;
  /** index of the next member */
  next: number;
  isEmpty: boolean;
}

/** Writes a value in any form without recursion. */
export function writeLevels(root: unknown, form: ValueForm): string {
  const { indent, list, object, colon, comma, leaf } = form;
  const levels: Level[] = [];
  const newLine = (): string => (indent === 0 ? '' : `\n${' '.repeat(indent * levels.length)}`);
  let text = begin(root, form, levels);
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { value, names, next } = level;
    if (next === (names ?? (value as unknown[])).length) {
      levels.pop();
      text += `${level.isEmpty ? '' : newLine()}${(names === undefined ? list : object)[1]}`;
      continue;
    }
    level.next++;
    const name = names?.[next];
    const member = name === undefined ? (value as unknown[])[next] : (value as Record<string, unknown>)[name];
    if (name !== undefined && !hasText(member)) continue;
    text += `${level.isEmpty ? '' : comma}${newLine()}${name === undefined ? '' : leaf(name) + colon}`;
    level.isEmpty = false;
    text += begin(member, form, levels);
  }
  return text;
}

/** @returns the text of a value without members, or the beginning of one that becomes the last level */
function begin(value: unknown, { list, object, inOrder, leaf }: ValueForm, levels: Level[]): string {
  if (!hasText(value)) return leaf(null);
  if (!isContainer(value)) return leaf(value);
  const names = Array.isArray(value) ? undefined : inOrder(Object.keys(value));
  levels.push({ value, names, next: 0, isEmpty: true });
  return (names === undefined ? list : object)[0];
}

const hasText = (value: unknown): boolean => value !== undefined && typeof value !== 'function' && typeof value !== 'symbol';

/** Raw numbers and what has a text of its own, such as a Date, are written as a whole. */
const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isRawJson(value) && typeof (value as { toJSON?: unknown }).toJSON !== 'function';

const isRawJson = (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON;
