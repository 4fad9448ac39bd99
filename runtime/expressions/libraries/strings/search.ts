/** Searches texts in linear time. The search of V8 takes the product of both lengths for repetitive texts. */

/** For a shorter part, or a smaller product of lengths, the search of V8 is fast enough. */
const SHORT = 32;
const SMALL_PRODUCT = 1_000_000;

const isHarmless = (text: string, part: string): boolean => part.length <= SHORT || text.length * part.length <= SMALL_PRODUCT;

/** @returns the index of the first occurrence at or after `from`; -1 if there is none */
export function indexFrom(text: string, part: string, from: number): number {
  if (isHarmless(text, part)) return text.indexOf(part, from);
  return new Search(part).first(text, from);
}

/** @returns the index of the last occurrence at or before `until`; -1 if there is none */
export function lastIndexUntil(text: string, part: string, until: number): number {
  if (isHarmless(text, part)) return text.lastIndexOf(part, until);
  return new Search(part).last(text, until);
}

/**
 * Splits a text at the occurrences of a part, which do not overlap.
 * @param part not empty
 * @param limit the most occurrences; default: all
 */
export function piecesOf(text: string, part: string, limit = Number.POSITIVE_INFINITY): string[] {
  const search = isHarmless(text, part) ? undefined : new Search(part);
  if (search === undefined && limit === Number.POSITIVE_INFINITY) return text.split(part);
  const pieces: string[] = [];
  let from = 0;
  while (pieces.length < limit) {
    const found = search === undefined ? text.indexOf(part, from) : search.first(text, from);
    if (found === -1) break;
    pieces.push(text.slice(from, found));
    from = found + part.length;
  }
  pieces.push(text.slice(from));
  return pieces;
}

/** Searches for a part in linear time, by the algorithm of Knuth, Morris and Pratt. */
class Search {
  readonly #part: string;
  /** for each prefix of the part: the length of the longest shorter prefix that is also its suffix */
  readonly #borders: Int32Array;

  constructor(part: string) {
    this.#part = part;
    this.#borders = new Int32Array(part.length + 1);
    let border = 0;
    for (let length = 2; length <= part.length; length++) {
      border = this.#next(border, part.charCodeAt(length - 1));
      this.#borders[length] = border;
    }
  }

  /** How many code units of the part match after one more unit was read. */
  #next(matched: number, unit: number): number {
    let length = matched === this.#part.length ? (this.#borders[matched] as number) : matched;
    while (length > 0 && this.#part.charCodeAt(length) !== unit) length = this.#borders[length] as number;
    return this.#part.charCodeAt(length) === unit ? length + 1 : 0;
  }

  first(text: string, from: number): number {
    let matched = 0;
    for (let index = from; index < text.length; index++) {
      matched = this.#next(matched, text.charCodeAt(index));
      if (matched === this.#part.length) return index + 1 - matched;
    }
    return -1;
  }

  last(text: string, until: number): number {
    let [matched, found] = [0, -1];
    const end = Math.min(text.length, until + this.#part.length);
    for (let index = 0; index < end; index++) {
      matched = this.#next(matched, text.charCodeAt(index));
      if (matched === this.#part.length) found = index + 1 - matched;
    }
    return found;
  }
}
