/** The store's tables as LMDB's file has them, without LMDB. */
import {
  indexedChangeValue,
  type KeyCodec,
  latestValue,
  rawValue,
  revisionKey,
  type State,
  supersededValue,
  textKey,
  textRevisionKey,
  type ValueCodec,
} from '../codecs/codecs.ts';
import { postingKey } from '../codecs/posting-key.ts';
import type { TreeHead } from '../pages/heads.ts';
import type { PageFile } from '../pages/page-file.ts';
import { asBadPage, Tree, type TreeRow } from '../pages/tree.ts';
import type { ReadTable, Row } from '../tables/read-table.ts';
import type { ReadTables } from '../tables/tables.ts';

/** @param trees by the names of the tables. A page that is not what was written hides its rows from `rows`, and is thrown by `get` as BadPage. */
export function pagedTables(file: PageFile, trees: ReadonlyMap<string, TreeHead>, state: State): ReadTables {
  const table = <Key, Value>(name: string, keys: KeyCodec<Key>, values: ValueCodec<Value>): PagedTable<Key, Value> =>
    new PagedTable(new Tree(file, trees.get(name) ?? EMPTY), keys, values);
  return {
    log: table('log', revisionKey, rawValue),
    keys: table('keys', textKey, latestValue),
    tombstones: table('tombstones', textKey, latestValue),
    history: table('history', textRevisionKey, supersededValue),
    index: table('index', textRevisionKey, indexedChangeValue),
    postings: table('postings', postingKey, rawValue),
    state: () => state,
  };
}

const EMPTY: TreeHead = { root: undefined, depth: 0, branches: 0, leaves: 0, overflows: 0, entries: 0 };

/** @returns undefined where the value has pages of its own that are not what was written */
function readable(row: TreeRow): Buffer | undefined {
  try {
    return row.value;
  } catch (error) {
    asBadPage(error);
    return undefined;
  }
}

/** Memory that is longer than any key. */
const scratch = Buffer.allocUnsafeSlow(16_384);

class PagedTable<Key, Value> implements ReadTable<Key, Value> {
  readonly #tree: Tree;
  readonly #keys: KeyCodec<Key>;
  readonly #values: ValueCodec<Value>;

  constructor(tree: Tree, keys: KeyCodec<Key>, values: ValueCodec<Value>) {
    this.#tree = tree;
    this.#keys = keys;
    this.#values = values;
  }

  get(key: Key): Value | undefined {
    const bytes = this.#tree.get(this.#bytesOf(key));
    return bytes === undefined ? undefined : this.#values.decode(bytes);
  }

  *rows(start: Key, end?: Key, limit = Number.POSITIVE_INFINITY): Generator<Row<Key, Value>, void> {
    const stop = end === undefined ? undefined : this.#bytesOf(end);
    let left = limit;
    for (const row of this.#tree.rows(this.#bytesOf(start), () => {})) {
      if (left <= 0 || (stop !== undefined && stop.length > 0 && Buffer.compare(row.key, stop) >= 0)) return;
      const value = readable(row);
      if (value === undefined) continue;
      left--;
      yield { key: this.#keys.readKey(row.key, 0, row.key.length), value: this.#values.decode(value) };
    }
  }

  #bytesOf(key: Key): Buffer {
    return Buffer.from(scratch.subarray(0, this.#keys.writeKey(key, scratch, 0)));
  }
}
