import type { KeyCodec, ValueCodec } from '../codecs/codecs.ts';
import type { DeferredWrites } from '../write-ahead-log/deferred-writes.ts';
import type { DeferredRow, DeferringTable } from '../write-ahead-log/deferring-table.ts';
import { Deed } from '../write-ahead-log/log-layout.ts';
import { OverlaidRows } from './overlaid-rows.ts';
import type { ReadTable, Row } from './read-table.ts';

/** A read transaction of `lmdb`. */
export interface NativeTransaction {
  readonly address: number;
  isDone?: boolean;
  /** begins it again where it is reset, as `lmdb` does itself with a `get` alone */
  renew(): void;
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

/** What a table needs to have its writes deferred. */
export interface Deferral<Key> {
  readonly writes: DeferredWrites;
  /** place of the table among all, for the write-ahead log */
  readonly table: number;
  readonly keys: KeyCodec<Key>;
}

/**
 * One LMDB database. `get` reads the write transaction that is running on this thread, if there is one; else, as `rows`, `floor` and `count`
 * always do, the given read transaction, which it renews where it is reset. Writes are only for write transactions: they throw LMDB's
 * error, and that transaction cannot commit any more. While writes are deferred `get` looks at those first, and what reads ranges does so too, or settles
 * them where they are many.
 */
export class Table<Key, Value> implements DeferringTable, ReadTable<Key, Value> {
  readonly #database: NativeDatabase<Key, Value>;
  readonly #codec: ValueCodec<Value>;
  readonly #options: { readonly transaction: NativeTransaction };
  readonly #deferral: Deferral<Key>;
  /** all deferred rows */
  readonly #shown: TableRow<Key, Value>[] = [];
  /** made of those when somebody reads a range before LMDB has them */
  #overlaid: OverlaidRows<Key, Value> | undefined;
  /** the last deferred row of each key. Keys that are no single value are not here. */
  readonly #deferred = new Map<Key, TableRow<Key, Value>>();
  /** the last row of each key in the commits that are being collected or flushed */
  readonly #collected = new Map<Key, TableRow<Key, Value>>();

  constructor(database: NativeDatabase<Key, Value>, codec: ValueCodec<Value>, transaction: NativeTransaction, deferral: Deferral<Key>) {
    this.#database = database;
    this.#codec = codec;
    this.#options = { transaction };
    this.#deferral = deferral;
    deferral.writes.register(deferral.table, this);
  }

  get(key: Key): Value | undefined {
    const { isPending, isCollecting } = this.#deferral.writes;
    const row = isPending || isCollecting ? this.#pendingRow(key) : undefined;
    if (row !== undefined) return row.value;
    const bytes = this.#database.getBinaryFast(key, this.#options);
    return bytes === undefined ? undefined : this.#codec.decode(bytes);
  }

  /** Rows with `start <= key < end`, in order; without `end` to the last one. Iterate to the end or leave the loop: its cursor is closed then. */
  rows(start: Key, end?: Key, limit?: number): Iterable<Row<Key, Value>> {
    if (this.#isSettled() || !this.#overlay().has(start, end)) return this.#database.getRange({ start, end, limit, ...this.#options });
    return limited(this.#overlay().over(this.#database.getRange({ start, end, ...this.#options }), start, end), limit);
  }

  /** Rows with `start <= key < end` as the running write transaction has them. */
  pending(start: Key, end: Key): Row<Key, Value>[] {
    return Array.from(this.#database.getRange({ start, end }));
  }

  /** Returns the last row with `above < key <= upTo`. */
  floor(upTo: Key, above: Key): Row<Key, Value> | undefined {
    const reverse = { start: upTo, end: above, reverse: true, ...this.#options };
    if (!this.#isSettled()) return this.#overlay().floor(this.#database.getRange(reverse), upTo, above);
    for (const row of this.#database.getRange({ ...reverse, limit: 1 })) return row;
    return undefined;
  }

  /** Number of rows with `start <= key < end`. */
  count(start: Key, end: Key): number {
    const isSettled = this.#isSettled();
    const stored = this.#database.getKeysCount({ start, end, ...this.#options });
    if (isSettled) return stored;
    return stored + this.#overlay().growth(start, end, (key) => this.#database.getBinaryFast(key, this.#options) !== undefined);
  }

  put(key: Key, value: Value): void {
    const bytes = this.#codec.encode(value);
    if (this.#deferral.writes.isCollecting) this.#collect(Deed.put, key, bytes, value);
    else this.#database.put(key, bytes);
  }

  /** Puts a key that is above all others of the table. @throws Error where it is not */
  append(key: Key, value: Value): void {
    const bytes = this.#codec.encode(value);
    if (this.#deferral.writes.isCollecting) this.#collect(Deed.append, key, bytes, value);
    else this.#append(key, bytes);
  }

  /** @returns whether it was there */
  remove(key: Key): boolean {
    if (!this.#deferral.writes.isCollecting) return this.#database.remove(key).result === true;
    const wasThere = this.get(key) !== undefined;
    this.#collect(Deed.remove, key, NOTHING, undefined);
    return wasThere;
  }

  /** Writes what the write-ahead log has of a row, inside a write transaction. */
  restore(deed: Deed, keyBytes: Buffer, value: Buffer): void {
    this.write(deed, this.#keyOf(keyBytes), value);
  }

  /** What the write-ahead log has of a row, to be written later. */
  kept(deed: Deed, keyBytes: Buffer, value: Buffer): DeferredRow {
    return new TableRow(this, deed, this.#keyOf(keyBytes), { memory: value, start: 0, length: value.length }, undefined);
  }

  #keyOf(bytes: Buffer): Key {
    return this.#deferral.keys.readKey(bytes, 0, bytes.length);
  }

  forget(): void {
    this.#shown.length = 0;
    this.#overlaid = undefined;
    this.#deferred.clear();
  }

  drop(): void {
    // an empty one takes new memory when it is cleared
    if (this.#collected.size > 0) this.#collected.clear();
  }

  /** Makes a deferred row visible to reads of this process. */
  show(row: TableRow<Key, Value>): void {
    this.#shown.push(row);
    this.#overlaid = undefined;
    if (typeof row.key === 'object') return;
    const before = this.#deferred.get(row.key);
    if (before !== undefined) before.isFollowed = true;
    this.#deferred.set(row.key, row);
  }

  /** Writes a row to LMDB, inside a write transaction. */
  write(deed: Deed, key: Key, bytes: Buffer): void {
    if (deed === Deed.put) this.#database.put(key, bytes);
    else if (deed === Deed.append) this.#append(key, bytes);
    else if (deed === Deed.remove) this.#database.remove(key);
    else throw new Error(`${deed} is nothing that is done to a row`);
  }

  decode(bytes: Buffer): Value {
    return this.#codec.decode(bytes);
  }

  #append(key: Key, bytes: Buffer): void {
    if (this.#database.put(key, bytes, { append: true }).result !== true) throw new Error(`${key} is not the last key`);
  }

  #collect(deed: Deed, key: Key, bytes: Buffer, value: Value | undefined): void {
    const { writes, table, keys } = this.#deferral;
    const start = writes.log(table, deed, keys, key, bytes);
    const place = { memory: writes.memory, start, length: bytes.length };
    const row = new TableRow(this, deed, key, place, this.#codec.passes === true ? undefined : value);
    writes.add(row);
    if (typeof key !== 'object') this.#collected.set(key, row);
  }

  #pendingRow(key: Key): TableRow<Key, Value> | undefined {
    const { writes } = this.#deferral;
    if (typeof key === 'object') return this.#isSettled() ? undefined : (this.#overlay().get(key) as TableRow<Key, Value> | undefined);
    return (writes.isCollecting ? this.#collected.get(key) : undefined) ?? this.#deferred.get(key);
  }

  /** Whether LMDB has all that is visible. */
  #isSettled(): boolean {
    const { writes } = this.#deferral;
    if (!(writes.isPending || writes.isCollecting) || writes.trySettle()) return true;
    this.#options.transaction.renew();
    return false;
  }

  #overlay(): OverlaidRows<Key, Value> {
    this.#overlaid ??= new OverlaidRows(this.#shown, this.#deferral.keys);
    return this.#overlaid;
  }
}

/** The place of a row's bytes, which do not change. */
interface Place {
  readonly memory: Buffer;
  readonly start: number;
  readonly length: number;
}

/** A row that LMDB does not have yet. */
class TableRow<Key, Value> implements DeferredRow {
  readonly key: Key;
  /** whether another row of the same key follows, so that LMDB does not get this one */
  isFollowed = false;
  readonly #table: Table<Key, Value>;
  readonly #deed: Deed;
  readonly #place: Place;
  #value: Value | undefined;

  /** @param value what the bytes say; undefined: nothing, or it is read when it is asked for */
  constructor(table: Table<Key, Value>, deed: Deed, key: Key, place: Place, value: Value | undefined) {
    this.key = key;
    this.#table = table;
    this.#deed = deed;
    this.#place = place;
    this.#value = value;
  }

  /** The value of the row; undefined if the row is removed. */
  get value(): Value | undefined {
    if (this.#deed !== Deed.remove) this.#value ??= this.#table.decode(this.#bytes);
    return this.#value;
  }

  get #bytes(): Buffer {
    const { memory, start, length } = this.#place;
    return memory.subarray(start, start + length);
  }

  show(): void {
    this.#table.show(this);
  }

  write(): void {
    if (!this.isFollowed) this.#table.write(this.#deed, this.key, this.#bytes);
  }
}

const NOTHING = Buffer.alloc(0);

function* limited<Item>(items: Iterable<Item>, limit = Number.POSITIVE_INFINITY): Generator<Item, void> {
  let left = limit;
  if (left > 0)
    for (const item of items) {
      yield item;
      if (--left <= 0) return;
    }
}
