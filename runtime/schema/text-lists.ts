/** Lists of texts that may be long: what is done with each of them yields now and then, so that the caller can do what it wants in between. */

/** Elements between two yields: a few microseconds. */
const SOME = 128;

/** Those that are to be kept, in their order. */
export function* keptTexts(list: readonly string[], keeps: (text: string) => boolean): Generator<void, string[], void> {
  const kept: string[] = [];
  for (let i = 0; i < list.length; i++) {
    if (keeps(list[i] as string)) kept.push(list[i] as string);
    if (i % SOME === SOME - 1) yield;
  }
  return kept;
}

/** What can be asked whether it has a text. */
export type TextSet = Pick<ReadonlySet<string>, 'has'>;

export function* setOfTexts(list: readonly string[]): Generator<void, TextSet, void> {
  if (list.length <= PART) return new Set(list);
  const set = new DividedSet(Math.ceil(list.length / PART));
  for (let i = 0; i < list.length; i++) {
    set.add(list[i] as string);
    if (i % SOME === SOME - 1) yield;
  }
  return set;
}

/** Texts of a set that grows in no time, about: one that is long is laid out anew as a whole now and then, which takes milliseconds. */
const PART = 2_000;
/** Characters at the end of a text by which it gets its part: what is counted differs there. */
const TOLD_APART = 6;

class DividedSet implements TextSet {
  readonly #parts: readonly Set<string>[];

  constructor(parts: number) {
    this.#parts = Array.from({ length: parts }, () => new Set<string>());
  }

  add(text: string): void {
    this.#partOf(text).add(text);
  }

  has(text: string): boolean {
    return this.#partOf(text).has(text);
  }

  #partOf(text: string): Set<string> {
    let sum = text.length;
    for (let i = Math.max(0, text.length - TOLD_APART); i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) % 0x1000003;
    return this.#parts[sum % this.#parts.length] as Set<string>;
  }
}

export function* mappedTexts(list: readonly string[], map: (text: string) => string): Generator<void, string[], void> {
  const mapped: string[] = [];
  for (let i = 0; i < list.length; i++) {
    mapped.push(map(list[i] as string));
    if (i % SOME === SOME - 1) yield;
  }
  return mapped;
}

export function* areSameTexts(one: readonly string[], other: readonly string[]): Generator<void, boolean, void> {
  if (one === other) return true;
  if (one.length !== other.length) return false;
  for (let i = 0; i < one.length; i++) {
    if (one[i] !== other[i]) return false;
    if (i % SOME === SOME - 1) yield;
  }
  return true;
}
