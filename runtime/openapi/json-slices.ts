/** Writes JSON of long values in pieces of a few kilobytes. */

import { isObject } from '../schema/json/member.ts';
import { memberNames } from '../schema/json/member-names.ts';
import { flatText } from '../schema/text/flat-text.ts';

/** characters of a piece */
const PIECE = 16 * 1024;

/** Like `JSON.stringify` for plain JSON, but yields between pieces. The value must not change meanwhile. */
export function* jsonSlices(value: unknown): Generator<void, string, void> {
  const text = new LongText();
  yield* addValue(value, text);
  return text.all;
}

class LongText {
  readonly #pieces: string[] = [];
  #last = '';

  add(text: string): void {
    this.#last += text;
    if (this.#last.length < PIECE) return;
    // flattens each piece, because otherwise V8 would copy the whole text in one go at the end
    this.#pieces.push(flatText(this.#last));
    this.#last = '';
  }

  get all(): string {
    return this.#pieces.join('') + this.#last;
  }
}

function* addValue(value: unknown, text: LongText): Generator<void, void, void> {
  if (Array.isArray(value)) yield* addList(value, text);
  else if (isObject(value)) yield* addObject(value, text);
  else {
    text.add(JSON.stringify(value));
    yield;
  }
}

function* addList(list: readonly unknown[], text: LongText): Generator<void, void, void> {
  let before = '[';
  for (const each of list) {
    text.add(before);
    before = ',';
    yield* addValue(each ?? null, text);
  }
  text.add(before === '[' ? '[]' : ']');
}

function* addObject(object: Readonly<Record<string, unknown>>, text: LongText): Generator<void, void, void> {
  let before = '{';
  for (const name of memberNames(object)) {
    const value = object[name];
    if (value === undefined) continue;
    text.add(`${before}${JSON.stringify(name)}:`);
    before = ',';
    yield* addValue(value, text);
  }
  text.add(before === '{' ? '{}' : '}');
}
