/** What can be read of a table, whoever reads it: LMDB, or its pages without LMDB. */
export interface Row<Key, Value> {
  readonly key: Key;
  readonly value: Value;
}

/** A table to be read. */
export interface ReadTable<Key, Value> {
  get(key: Key): Value | undefined;
  /** Rows with `start <= key < end`, in order; without `end` to the last one. Iterate to the end or leave the loop. */
  rows(start: Key, end?: Key, limit?: number): Iterable<Row<Key, Value>>;
}
