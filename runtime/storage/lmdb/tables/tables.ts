import {
  type IndexedChange,
  indexedChangeValue,
  type KeyCodec,
  type Latest,
  latestValue,
  rawValue,
  revisionKey,
  type State,
  type Superseded,
  stateValue,
  supersededValue,
  type TextRevision,
  textKey,
  textRevisionKey,
  type ValueCodec,
} from '../codecs/codecs.ts';
import { type Posting, postingKey } from '../codecs/posting-key.ts';
import { RecentRecords } from '../recent/recent-records.ts';
import { VerifiedRecords } from '../recent/verified-records.ts';
import type { DeferredWrites } from '../write-ahead-log/deferred-writes.ts';
import type { End } from './end.ts';
import { type NativeRoot, resetTxn } from './native-root.ts';
import type { ReadTable } from './read-table.ts';
import { type NativeDatabase, type NativeTransaction, Table, tableOptions } from './table.ts';

/**
 * The databases of the file. A version of a key is in exactly one of `keys`, `tombstones` and `history`; its record is in `log` for as long.
 *
 * | database     | key                    | value                                  | holds |
 * | ------------ | ---------------------- | -------------------------------------- | ----- |
 * | `log`        | revision               | checksum, operation, previous revision, key, value | every version that can still be read |
 * | `keys`       | key                    | revision, size                         | the latest version of each key that has a value |
 * | `tombstones` | key                    | revision, size                         | the latest version of each key that was deleted since the last compaction |
 * | `history`    | key, revision          | tombstone or not, size                 | versions that another one followed, until compaction |
 * | `index`      | resource of the key, revision | operation, previous revision, key | changes since the last compaction |
 * | `postings`   | resource, hash of a term, rest of the key |                | keys whose values carry a term, or cannot be read, see postings.ts |
 * | (main)       | `state`, `format`, `terms`, `round` |                               | counters; what wrote the file; what it knows of its write-ahead log, see log-note.ts |
 *
 * Deleted keys stand apart from living ones so that ranges and counts of the present never step over tombstones and a count stays in native code.
 */
export interface Tables {
  readonly log: Table<number, Buffer>;
  readonly keys: Table<string, Latest>;
  readonly tombstones: Table<string, Latest>;
  readonly history: Table<TextRevision, Superseded>;
  readonly index: Table<TextRevision, IndexedChange>;
  readonly postings: Table<Posting, Buffer>;
  /** records of the log that need not be read */
  readonly recent: RecentRecords;
  /** which records of the log this process has verified */
  readonly verified: VerifiedRecords;
  /** zeros before the first write */
  state(): State;
  putState(state: State): void;
  /**
   * Runs `action` on the newest committed state, and ends the read transaction behind it. A call within another one sees the state of the outer one.
   * `action` must not return anything that reads later. Costs 0.15 µs.
   */
  read<T>(action: () => T): T;
}

/** The tables for code that only reads. */
export interface ReadTables {
  readonly log: ReadTable<number, Buffer>;
  readonly keys: ReadTable<string, Latest>;
  readonly tombstones: ReadTable<string, Latest>;
  readonly history: ReadTable<TextRevision, Superseded>;
  readonly index: ReadTable<TextRevision, IndexedChange>;
  readonly postings: ReadTable<Posting, Buffer>;
  state(): State;
}

/** Place of the table that has the counters, in the write-ahead log. */
export const STATES = 0;

export const openDatabases = (root: NativeRoot) => ({
  log: root.openDB<number, Buffer>('log', tableOptions(revisionKey, rawValue)),
  keys: root.openDB<string, Latest>('keys', tableOptions(textKey, latestValue)),
  tombstones: root.openDB<string, Latest>('tombstones', tableOptions(textKey, latestValue)),
  history: root.openDB<TextRevision, Superseded>('history', tableOptions(textRevisionKey, supersededValue)),
  index: root.openDB<TextRevision, IndexedChange>('index', tableOptions(textRevisionKey, indexedChangeValue)),
  postings: root.openDB<Posting, Buffer>('postings', tableOptions(postingKey, rawValue)),
});

/** Makes a read transaction that `lmdb` leaves alone. To be called after the last database was opened, for opening one ends lmdb's current transaction. */
export function ownTransaction(root: NativeRoot): NativeTransaction {
  const transaction = root.useReadTransaction();
  root.resetReadTxn();
  resetTxn(transaction.address);
  return transaction;
}

export function createTables(
  root: NativeRoot,
  natives: ReturnType<typeof openDatabases>,
  transaction: NativeTransaction,
  deferred: DeferredWrites,
  end: End,
): Tables {
  const recent = new RecentRecords();
  const table = <Key, Value>(place: number, database: NativeDatabase<Key, Value>, keys: KeyCodec<Key>, values: ValueCodec<Value>) =>
    new Table(database, values, transaction, { writes: deferred, table: place, keys });
  /** how many calls of `read` are under way, one within another */
  let reads = 0;
  // write-ahead logs name tables by these places, so that a place never changes
  const states = table(STATES, root as unknown as NativeDatabase<string, State>, textKey, stateValue);
  const log = table(1, natives.log, revisionKey, rawValue);
  return {
    log,
    keys: table(2, natives.keys, textKey, latestValue),
    tombstones: table(3, natives.tombstones, textKey, latestValue),
    history: table(4, natives.history, textRevisionKey, supersededValue),
    index: table(5, natives.index, textRevisionKey, indexedChangeValue),
    postings: table(6, natives.postings, postingKey, rawValue),
    recent,
    verified: new VerifiedRecords(),
    state: () => states.get('state') ?? { revision: 0, compacted: 0, liveBytes: 0, historyBytes: 0, posted: 0 },
    putState: (state) => states.put('state', state),
    read(action) {
      if (transaction.isDone) throw new Error('the store is closed');
      reads++;
      try {
        return action();
      } catch (error) {
        throw end.explain(error);
      } finally {
        // an inner call reads the snapshot of the outer one, whose cursors go on behind it
        if (--reads === 0) resetTxn(transaction.address);
      }
    },
  };
}
