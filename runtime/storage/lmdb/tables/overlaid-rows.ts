/** Rows that LMDB lacks, over those that it has: for who reads ranges while they are few, or LMDB cannot take them. */
import type { KeyCodec } from '../codecs/codecs.ts';
import type { Row } from './read-table.ts';

/** A row that was written or, where `value` is undefined, removed. */
export interface OverlaidRow<Key, Value> {
  readonly key: Key;
  readonly value: Value | undefined;
}

interface Placed<Key, Value> {
  readonly bytes: Buffer;
  readonly row: OverlaidRow<Key, Value>;
}

/** Memory that is longer than any key. */
const scratch = Buffer.allocUnsafeSlow(16_384);

export class OverlaidRows<Key, Value> {
  readonly #keys: KeyCodec<Key>;
  readonly #rows: ReadonlyMap<string, OverlaidRow<Key, Value>>;
  /** the rows in the order of their keys */
  readonly #placed: readonly Placed<Key, Value>[];

  /** @param rows in the order in which they were written */
  constructor(rows: readonly OverlaidRow<Key, Value>[], keys: KeyCodec<Key>) {
    this.#keys = keys;
    this.#rows = new Map(rows.map((row) => [this.#bytesOf(row.key).toString('latin1'), row]));
    this.#placed = [...this.#rows]
      .map(([key, row]) => ({ bytes: Buffer.from(key, 'latin1'), row }))
      .sort((a, b) => Buffer.compare(a.bytes, b.bytes));
  }

  get(key: Key): OverlaidRow<Key, Value> | undefined {
    return this.#rows.get(this.#bytesOf(key).toString('latin1'));
  }

  /** Whether there are some with `start <= key < end`; no end, and an empty one, are none. */
  has(start: Key, end: Key | undefined): boolean {
    const [first, last] = this.#between(start, end);
    return first < last;
  }

  /** Rows with `start <= key < end`, in order. @param stored those of LMDB */
  *over(stored: Iterable<Row<Key, Value>>, start: Key, end: Key | undefined): Generator<Row<Key, Value>, void> {
    const [first, last] = this.#between(start, end);
    let next = first;
    for (const row of stored) {
      let order = -1;
      if (next < last) {
        // somebody else may have a key there when this goes on
        const length = this.#keys.writeKey(row.key, scratch, 0);
        const from = next;
        const orderOfNext = (): number => (next < last ? this.#at(next).bytes.compare(scratch, 0, length) : 1);
        for (order = orderOfNext(); order < 0; order = orderOfNext()) next++;
        for (let before = from; before < next; before++) yield* written(this.#at(before).row);
      }
      if (order === 0) yield* written(this.#at(next++).row);
      else yield row;
    }
    for (; next < last; next++) yield* written(this.#at(next).row);
  }

  /** Returns the last row with `above < key <= upTo`. @param stored the rows of LMDB, the last one first */
  floor(stored: Iterable<Row<Key, Value>>, upTo: Key, above: Key): Row<Key, Value> | undefined {
    const lowest = this.#placeBehind(this.#bytesOf(above));
    let place = this.#placeBehind(this.#bytesOf(upTo)) - 1;
    while (place >= lowest && this.#at(place).row.value === undefined) place--;
    const here = place >= lowest ? this.#at(place) : undefined;
    for (const row of stored) {
      const bytes = this.#bytesOf(row.key);
      if (this.#rows.has(bytes.toString('latin1'))) continue;
      if (here === undefined || Buffer.compare(bytes, here.bytes) > 0) return row;
      break;
    }
    return here?.row as Row<Key, Value> | undefined;
  }

  /** Returns by how many rows there are more with `start <= key < end` than LMDB has, which may be negative. @param isStored tells whether LMDB has a row */
  growth(start: Key, end: Key, isStored: (key: Key) => boolean): number {
    const [first, last] = this.#between(start, end);
    return this.#placed.slice(first, last).reduce((sum, { row }) => sum + Number(row.value !== undefined) - Number(isStored(row.key)), 0);
  }

  #at(place: number): Placed<Key, Value> {
    return this.#placed[place] as Placed<Key, Value>;
  }

  /** Places of the rows; no end, and an empty one, are none. */
  #between(start: Key, end: Key | undefined): [number, number] {
    const stop = end === undefined ? undefined : this.#bytesOf(end);
    const last = stop === undefined || stop.length === 0 ? this.#placed.length : this.#placeOf(stop);
    return [Math.min(this.#placeOf(this.#bytesOf(start)), last), last];
  }

  /** The place of the first row whose key is not before this one. */
  #placeOf(bytes: Buffer): number {
    return this.#search((placed) => Buffer.compare(placed, bytes) >= 0);
  }

  /** The place of the first row whose key is behind this one. */
  #placeBehind(bytes: Buffer): number {
    return this.#search((placed) => Buffer.compare(placed, bytes) > 0);
  }

  /** @param isBehind a test of the bytes of keys that is false for the first keys, and true for all that follow them */
  #search(isBehind: (bytes: Buffer) => boolean): number {
    let [low, high] = [0, this.#placed.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBehind(this.#at(middle).bytes)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #bytesOf(key: Key): Buffer {
    return Buffer.from(scratch.subarray(0, this.#keys.writeKey(key, scratch, 0)));
  }
}

function* written<Key, Value>({ key, value }: OverlaidRow<Key, Value>): Generator<Row<Key, Value>, void> {
  if (value !== undefined) yield { key, value };
}
