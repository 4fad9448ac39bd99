/** Rows that LMDB lacks, over those that it has: for who reads ranges while LMDB cannot take them. */
import type { KeyCodec } from './codecs.ts';
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

/** Longer than any key. */
const scratch = Buffer.allocUnsafeSlow(16_384);

export class OverlaidRows<Key, Value> {
  readonly #keys: KeyCodec<Key>;
  readonly #rows: ReadonlyMap<string, OverlaidRow<Key, Value>>;
  /** in the order of keys */
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

  /** Rows with `start <= key < end`, in order. @param stored those of LMDB */
  *over(stored: Iterable<Row<Key, Value>>, start: Key, end: Key | undefined): Generator<Row<Key, Value>, void> {
    const [first, last] = this.#between(start, end);
    let next = first;
    for (const row of stored) {
      const bytes = this.#bytesOf(row.key);
      let order = -1;
      for (; next < last; next++) {
        const placed = this.#placed[next] as Placed<Key, Value>;
        order = Buffer.compare(placed.bytes, bytes);
        if (order >= 0) break;
        yield* written(placed.row);
      }
      if (next === last || order > 0) yield row;
      else yield* written((this.#placed[next++] as Placed<Key, Value>).row);
    }
    for (; next < last; next++) yield* written((this.#placed[next] as Placed<Key, Value>).row);
  }

  /** The last row with `above < key <= upTo`. @param stored those of LMDB, the last one first */
  floor(stored: Iterable<Row<Key, Value>>, upTo: Key, above: Key): Row<Key, Value> | undefined {
    const [upper, lower] = [this.#bytesOf(upTo), this.#bytesOf(above)];
    const here = this.#placed.findLast(
      ({ bytes, row }) => row.value !== undefined && Buffer.compare(bytes, upper) <= 0 && Buffer.compare(bytes, lower) > 0,
    );
    for (const row of stored) {
      if (this.get(row.key) !== undefined) continue;
      if (here === undefined || Buffer.compare(this.#bytesOf(row.key), here.bytes) > 0) return row;
      break;
    }
    return here?.row as Row<Key, Value> | undefined;
  }

  /** By how many rows there are more with `start <= key < end` than LMDB has. @param isStored whether LMDB has a row */
  growth(start: Key, end: Key, isStored: (key: Key) => boolean): number {
    const [first, last] = this.#between(start, end);
    return this.#placed.slice(first, last).reduce((sum, { row }) => sum + Number(row.value !== undefined) - Number(isStored(row.key)), 0);
  }

  /** Places of the rows; no end, and an empty one, are none. */
  #between(start: Key, end: Key | undefined): [number, number] {
    const stop = end === undefined ? undefined : this.#bytesOf(end);
    const last = stop === undefined || stop.length === 0 ? this.#placed.length : this.#placeOf(stop);
    return [Math.min(this.#placeOf(this.#bytesOf(start)), last), last];
  }

  /** Of the first row whose key is not before this one. */
  #placeOf(bytes: Buffer): number {
    const found = this.#placed.findIndex((placed) => Buffer.compare(placed.bytes, bytes) >= 0);
    return found < 0 ? this.#placed.length : found;
  }

  #bytesOf(key: Key): Buffer {
    return Buffer.from(scratch.subarray(0, this.#keys.writeKey(key, scratch, 0)));
  }
}

function* written<Key, Value>({ key, value }: OverlaidRow<Key, Value>): Generator<Row<Key, Value>, void> {
  if (value !== undefined) yield { key, value };
}
