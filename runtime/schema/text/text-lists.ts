/** Works on long lists of texts: the generators yield regularly, so that the caller can let other work run. */

/** Elements between two yields, which take a few microseconds. */
const SOME = 128;

/** The texts that are to be kept, in their order. */
export function* keptTexts(list: readonly string[], keeps: (text: string) => boolean): Generator<void, string[], void> {
  const kept: string[] = [];
  for (let i = 0; i < list.length; i++) {
    if (keeps(list[i] as string)) kept.push(list[i] as string);
    if (i % SOME === SOME - 1) yield;
  }
  return kept;
}

/** The part of a set that tells whether it has a text. */
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

/** A longer list is divided into several sets: a large set reorganizes itself as a whole when it grows, which takes milliseconds. */
const PART = 2_000;
/** How many last characters of a text choose its part. Texts that are numbered differ there. */
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
