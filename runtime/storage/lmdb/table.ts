import type { KeyCodec, ValueCodec } from './codecs.ts';

/** A read transaction of `lmdb`. */
export interface NativeTransaction {
  readonly address: number;
  isDone?: boolean;
  done(): void;
}

interface NativeRange<Key> {
  start: Key;
  end?: Key;
  reverse?: boolean;
  limit?: number;
  transaction?: NativeTransaction;
}

/** What is used here of a database of `lmdb`; the package's own types leave out explicit transactions for some of these. */
export interface NativeDatabase<Key, Value> {
  getBinaryFast(key: Key, options: { transaction?: NativeTransaction }): Buffer | undefined;
  getRange(options: NativeRange<Key>): Iterable<{ key: Key; value: Value }>;
  getKeysCount(options: NativeRange<Key>): number;
  put(key: Key, value: Buffer, options?: { append: boolean }): { result?: boolean };
  remove(key: Key): { result?: boolean };
  clearSync(): void;
}

/** Options that make `lmdb` use our codecs and decode values where it read them, without a copy. */
export const tableOptions = <Key, Value>(key: KeyCodec<Key>, value: ValueCodec<Value>) => ({
  encoding: 'binary',
  keyEncoder: key,
  decoder: value,
  decoderCopies: true,
});

export interface Row<Key, Value> {
  readonly key: Key;
  readonly value: Value;
}

/**
 * One LMDB database. `get` reads the write transaction that is running on this thread, if there is one; else, as `rows`, `floor` and `count`
 * always do, the given read transaction, which it renews where it is reset. Writes are only for write transactions: they throw LMDB's
 * error, and that transaction cannot commit any more.
 */
export class Table<Key, Value> {
  readonly #database: NativeDatabase<Key, Value>;
  readonly #codec: ValueCodec<Value>;
  readonly #options: { readonly transaction: NativeTransaction };

  constructor(database: NativeDatabase<Key, Value>, codec: ValueCodec<Value>, transaction: NativeTransaction) {
    this.#database = database;
    this.#codec = codec;
    this.#options = { transaction };
  }

  get(key: Key): Value | undefined {
    const bytes = this.#database.getBinaryFast(key, this.#options);
    return bytes === undefined ? undefined : this.#codec.decode(bytes);
  }

  /** Rows with `start <= key < end`, in order; without `end` to the last one. Iterate to the end or leave the loop: its cursor is closed then. */
  rows(start: Key, end?: Key, limit?: number): Iterable<Row<Key, Value>> {
    return this.#database.getRange({ start, end, limit, ...this.#options });
  }

  /** Rows with `start <= key < end` as the running write transaction has them. */
  pending(start: Key, end: Key): Row<Key, Value>[] {
    return Array.from(this.#database.getRange({ start, end }));
  }

  /** The last row with `above < key <= upTo`. */
  floor(upTo: Key, above: Key): Row<Key, Value> | undefined {
    for (const row of this.#database.getRange({ start: upTo, end: above, reverse: true, limit: 1, ...this.#options })) return row;
    return undefined;
  }

  /** Number of rows with `start <= key < end`. */
  count(start: Key, end: Key): number {
    return this.#database.getKeysCount({ start, end, ...this.#options });
  }

  put(key: Key, value: Value): void {
    this.#database.put(key, this.#codec.encode(value));
  }

  /** Puts a key that is above all others of the table. @throws Error where it is not */
  append(key: Key, value: Value): void {
    if (this.#database.put(key, this.#codec.encode(value), { append: true }).result !== true) throw new Error(`${key} is not the last key`);
  }

  /** @returns whether it was there */
  remove(key: Key): boolean {
    return this.#database.remove(key).result === true;
  }
}
