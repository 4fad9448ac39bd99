/** The JSON of what is long, a few kilobytes at a time. */
import { flatText } from '../schema/flat-text.ts';
import { isObject } from '../schema/member.ts';
import { memberNames } from '../schema/member-names.ts';

/** Characters of a piece. */
const PIECE = 16 * 1024;

/** As `JSON.stringify`, of plain JSON that nobody changes meanwhile, between whose pieces the caller does what it wants. */
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
    // as a reference to all that it was put together of it would be copied in one go, at last
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
