/** Values by keys, in the order of keys: short sorted pieces, which a copy shares until either of the two changes them. */
import { compareKeys } from '../storage.ts';

/** Keys of a piece at most; it is cut in two beyond. */
const MOST = 256;

interface Piece<V> {
  readonly keys: string[];
  readonly values: V[];
  /** whose it is to change: of another owner it is copied first */
  owner: object;
}

export class SortedMap<V> {
  #pieces: Piece<V>[];
  #owner = {};

  constructor(pieces: Piece<V>[] = []) {
    this.#pieces = pieces;
  }

  /** Costs a reference for each piece. Values are shared. */
  copy(): SortedMap<V> {
    this.#owner = {};
    return new SortedMap([...this.#pieces]);
  }

  get(key: string): V | undefined {
    const piece = this.#pieces[this.#pieceOf(key)];
    if (piece === undefined) return undefined;
    const at = firstAtOrAfter(piece.keys, key);
    return piece.keys[at] === key ? piece.values[at] : undefined;
  }

  set(key: string, value: V): void {
    const index = this.#pieceOf(key);
    if (this.#pieces.length === 0) this.#pieces.push({ keys: [], values: [], owner: this.#owner });
    const piece = this.#own(index);
    const at = firstAtOrAfter(piece.keys, key);
    if (piece.keys[at] === key) {
      piece.values[at] = value;
      return;
    }
    piece.keys.splice(at, 0, key);
    piece.values.splice(at, 0, value);
    if (piece.keys.length > MOST) this.#cut(index, piece);
  }

  delete(key: string): void {
    const index = this.#pieceOf(key);
    if (this.#pieces[index] === undefined) return;
    const piece = this.#own(index);
    const at = firstAtOrAfter(piece.keys, key);
    if (piece.keys[at] !== key) return;
    piece.keys.splice(at, 1);
    piece.values.splice(at, 1);
    if (piece.keys.length === 0) this.#pieces.splice(index, 1);
  }

  /**
   * Calls `visit` with each key from `start` on, in order, until it returns false. It must not change the map.
   * @param end exclusive; empty: none
   */
  visit(start: string, end: string, visit: (key: string, value: V) => boolean): void {
    let index = this.#pieceOf(start);
    let at = firstAtOrAfter(this.#pieces[index]?.keys ?? [], start);
    for (; index < this.#pieces.length; index++, at = 0) {
      const { keys, values } = this.#pieces[index] as Piece<V>;
      for (; at < keys.length; at++) {
        const key = keys[at] as string;
        if (end !== '' && compareKeys(key, end) >= 0) return;
        if (!visit(key, values[at] as V)) return;
      }
    }
  }

  /** As `visit`, one at a time. The map may change between steps: each looks for the place behind the last key again. */
  *entries(start: string, end: string): Generator<readonly [key: string, value: V]> {
    for (let from = start; ; ) {
      const found: [string, V][] = [];
      this.visit(from, end, (key, value) => found.push([key, value]) < MOST);
      yield* found;
      const last = found.at(-1)?.[0];
      if (last === undefined || found.length < MOST) return;
      from = `${last}\0`;
    }
  }

  /** Index of the piece that has the key, if any has. */
  #pieceOf(key: string): number {
    let low = 0;
    let high = this.#pieces.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (compareKeys((this.#pieces[middle] as Piece<V>).keys[0] as string, key) <= 0) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  #own(index: number): Piece<V> {
    const piece = this.#pieces[index] as Piece<V>;
    if (piece.owner === this.#owner) return piece;
    const own = { keys: [...piece.keys], values: [...piece.values], owner: this.#owner };
    this.#pieces[index] = own;
    return own;
  }

  #cut(index: number, { keys, values, owner }: Piece<V>): void {
    const half = keys.length >> 1;
    this.#pieces.splice(index + 1, 0, { keys: keys.splice(half), values: values.splice(half), owner });
  }
}

function firstAtOrAfter(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys(keys[middle] as string, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
