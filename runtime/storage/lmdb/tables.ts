import {
  type IndexedChange,
  indexedChangeValue,
  type KeyCodec,
  type Latest,
  latestValue,
  REVISION_END,
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
} from './codecs.ts';
import { DamagedStorage } from './damage.ts';
import { DeferredWrites } from './deferred-writes.ts';
import { DiskGate } from './disk-gate.ts';
import { End } from './end.ts';
import { Deed } from './log-layout.ts';
import { type NativeRoot, noteOf, openRoot, putNote, resetTxn } from './native-root.ts';
import { type Posting, postingKey } from './posting-key.ts';
import type { ReadTable } from './read-table.ts';
import { RecentRecords } from './recent-records.ts';
import { dataFile, logFile } from './store-files.ts';
import { type NativeDatabase, type NativeTransaction, Table, tableOptions } from './table.ts';
import { TransactionWatch } from './transaction-watch.ts';
import { VerifiedRecords } from './verified-records.ts';

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
   * Runs `action` on the newest committed state and ends the read transaction: one call, one state. Not to be nested, and nothing that
   * reads later may leave it. Costs 0.15 µs.
   */
  read<T>(action: () => T): T;
}

/** The tables for who only reads. */
export interface ReadTables {
  readonly log: ReadTable<number, Buffer>;
  readonly keys: ReadTable<string, Latest>;
  readonly tombstones: ReadTable<string, Latest>;
  readonly history: ReadTable<TextRevision, Superseded>;
  readonly index: ReadTable<TextRevision, IndexedChange>;
  readonly postings: ReadTable<Posting, Buffer>;
  state(): State;
}

/** The environment: what only opening, writing and closing need. */
export interface Environment {
  readonly tables: Tables;
  /**
   * LMDB could not write its head, so that nobody knows which transaction is the newest one on the disk, or did not end a transaction. Until the file is opened by another process nothing is read,
   * and every write throws what that one had failed with.
   */
  readonly hasEnded: boolean;
  /** Runs `action` in a write transaction, once LMDB has what was deferred; resolves when that is on the disk. @throws what `settle` throws */
  transaction<T>(action: () => T): Promise<T>;
  /** For a process that has the store for itself. Not while one of `transaction` is under way. */
  readonly deferred: DeferredWrites;
  /** frees the snapshots of processes that died */
  checkReaders(): void;
  /** Writes what is in the file at one moment, once LMDB has what was deferred, to a new file in an existing directory. @throws what `settle` throws */
  copy(directory: string): Promise<void>;
  /** waits for write transactions under way, not for copies */
  close(): Promise<void>;
}

/** The main database's place for one small text, for what is checked before anything else is read. */
export interface FormatRecord {
  get(): string | undefined;
  put(text: string): void;
}

/** `addressSpace` of the map in bytes: LMDB maps anew beyond it, which it should not have to. */
export interface EnvironmentOptions {
  readonly directory: string;
  readonly addressSpace: number;
  /** runs in a write transaction before a database is created; what it throws ends the opening */
  checkFormat(record: FormatRecord): void;
  /** of the terms that are posted; another one than last time starts the postings anew. Absent: what is there stays */
  readonly termsDefinition?: string;
  /** whether writes may be deferred, unless another process has the file open: none opens it later */
  readonly defers: boolean;
  /** milliseconds between two looks at a transaction that may never be over: see TransactionWatch */
  readonly transactionLook?: number | undefined;
  /** Hears that the write-ahead log ended with something that was not written whole, and was dropped. Must not throw. */
  readonly tornLog?: () => void;
}

/**
 * Opens or creates the file in an existing directory. Blocks while another process writes.
 * @throws DamagedStorage where its files do not belong together, Error of LMDB or the file system, what `checkFormat` throws
 */
export function openEnvironment(options: EnvironmentOptions): Environment {
  const root = openRoot(options.directory, options.addressSpace);
  try {
    root.transactionSync(() => {
      // a promise as the result would leave the transaction open
      options.checkFormat({
        get: () => root.getBinaryFast('format', {})?.toString(),
        put: (text) => void root.put('format', Buffer.from(text)),
      });
    });
    return environmentOf(root, options);
  } catch (error) {
    void root.close();
    throw error;
  }
}

function environmentOf(root: NativeRoot, options: EnvironmentOptions): Environment {
  const { directory, addressSpace, termsDefinition, defers, tornLog, transactionLook } = options;
  const natives = openDatabases(root);
  const transaction = ownTransaction(root);
  const end = new End(root, transaction, dataFile(directory));
  const gate = new DiskGate(directory);
  const watch = new TransactionWatch({
    most: () => (gate.isDoubtful ? MOST_LOOKS_IN_DOUBT : MOST_LOOKS),
    stuck: () => end.ofTransaction(),
    look: transactionLook,
  });
  const deferred: DeferredWrites = new DeferredWrites(logFile(directory), {
    transact(write) {
      end.assertNone();
      gate.assertOpen();
      try {
        root.transactionSync(write);
      } catch (error) {
        gate.passed(false);
        end.look(error);
        throw error;
      }
      gate.passed(true);
      // what is read next in this turn is to see it
      resetTxn(transaction.address);
    },
    note() {
      // lmdb's own read transaction may be older than the last write
      root.resetReadTxn();
      return noteOf(root);
    },
    putNote: (note) => putNote(root, note),
    revision: () => tables.state().revision,
    skipRevisions() {
      const state = tables.state();
      const revision = state.revision + MOST_GIVEN_AHEAD;
      const value = Buffer.from(stateValue.encode({ ...state, revision, compacted: revision }));
      return { table: STATES, deed: Deed.put, key: Buffer.from('state'), value };
    },
  });
  const tables: Tables = createTables(root, natives, transaction, deferred, end);
  assertWhole(tables, directory);
  if (deferred.restore(defers && !isOpenElsewhere(root))) tornLog?.();
  end.assertNone();
  if (termsDefinition !== undefined) resetPostings(root, natives, termsDefinition, deferred);
  return {
    tables,
    get hasEnded() {
      return end.hasCome;
    },
    deferred,
    async transaction(action) {
      end.assertNone();
      gate.assertOpen();
      deferred.settle();
      let changed = (_succeeded: boolean): void => {};
      try {
        const result = await watch.until(
          root.transaction(() => {
            const acted = action();
            changed = deferred.changing();
            return acted;
          }),
        );
        gate.passed(true);
        changed(true);
        return result;
      } catch (error) {
        gate.passed(false);
        end.look(error);
        // what is known of LMDB is asked of it
        if (!end.hasCome) changed(false);
        throw error;
      }
    },
    checkReaders: () => void root.readerCheck(),
    async copy(target) {
      deferred.settle();
      await root.backup(target, true);
      await endLogOf(target, addressSpace);
    },
    async close() {
      deferred.close();
      tables.recent.forget();
      transaction.done();
      transaction.isDone = true;
      gate.close();
      // a transaction that LMDB did not begin any more is under way for ever
      if (end.hasCome) void root.close();
      else await root.close();
    },
  };
}

/** Looks, of a second each, that a transaction may take, and one behind another that has failed: LMDB flushes what a disk takes in a moment. */
const MOST_LOOKS = 60;
const MOST_LOOKS_IN_DOUBT = 10;

/** Place of the table that has the counters. */
const STATES = 0;

/** Revisions that may have been given, at most, since LMDB got the last one: the write-ahead log takes no more. */
const MOST_GIVEN_AHEAD = 1_000;

/** A copy has all that the log had, and no log. */
async function endLogOf(directory: string, addressSpace: number): Promise<void> {
  const root = openRoot(directory, addressSpace);
  try {
    root.transactionSync(() => {
      const note = noteOf(root);
      if (note !== undefined) putNote(root, { ...note, isOver: true });
    });
  } finally {
    await root.close();
  }
}

/** What tells, without reading all of it, that revisions would be given twice. @throws DamagedStorage */
function assertWhole(tables: Tables, directory: string): void {
  tables.read(() => {
    const { revision, compacted, posted } = tables.state();
    const last = tables.log.floor(REVISION_END - 1, 0)?.key ?? 0;
    const isWhole = compacted <= revision && posted <= revision && last <= revision && (last === revision || compacted === revision);
    if (isWhole) return;
    const counts = `its newest revision as ${revision}, compacted up to ${compacted}, with postings up to ${posted}`;
    throw new DamagedStorage(dataFile(directory), `is damaged: it counts ${counts}, where its last record is that of ${last}`);
  });
}

const openDatabases = (root: NativeRoot) => ({
  log: root.openDB<number, Buffer>('log', tableOptions(revisionKey, rawValue)),
  keys: root.openDB<string, Latest>('keys', tableOptions(textKey, latestValue)),
  tombstones: root.openDB<string, Latest>('tombstones', tableOptions(textKey, latestValue)),
  history: root.openDB<TextRevision, Superseded>('history', tableOptions(textRevisionKey, supersededValue)),
  index: root.openDB<TextRevision, IndexedChange>('index', tableOptions(textRevisionKey, indexedChangeValue)),
  postings: root.openDB<Posting, Buffer>('postings', tableOptions(postingKey, rawValue)),
});

/** Whether another process has the file open: a worker may outlive its supervisor for a moment. */
function isOpenElsewhere(root: NativeRoot): boolean {
  const [, ...readers] = root.readerList().trim().split('\n');
  return readers.some((reader) => Number.parseInt(reader, 10) !== process.pid);
}

/** Drops postings of terms that are defined otherwise now. @throws what `settle` throws */
function resetPostings(
  root: NativeRoot,
  { postings }: ReturnType<typeof openDatabases>,
  definition: string,
  deferred: DeferredWrites,
): void {
  if (root.getBinaryFast('terms', {})?.toString() === definition) return;
  // counters that LMDB could not take yet would undo it later: they say how far the postings were before
  if (deferred.isPending) deferred.settle();
  root.transactionSync(() => {
    postings.clearSync();
    root.put('terms', Buffer.from(definition));
    const state = root.getBinaryFast('state', {});
    if (state !== undefined) root.put('state', stateValue.encode({ ...stateValue.decode(state), posted: 0 }));
    deferred.changing();
  });
}

/** A read transaction that `lmdb` leaves alone. It has to be made after the last database was opened, which ends lmdb's current one. */
function ownTransaction(root: NativeRoot): NativeTransaction {
  const transaction = root.useReadTransaction();
  root.resetReadTxn();
  resetTxn(transaction.address);
  return transaction;
}

function createTables(
  root: NativeRoot,
  natives: ReturnType<typeof openDatabases>,
  transaction: NativeTransaction,
  deferred: DeferredWrites,
  end: End,
): Tables {
  const recent = new RecentRecords();
  const table = <Key, Value>(place: number, database: NativeDatabase<Key, Value>, keys: KeyCodec<Key>, values: ValueCodec<Value>) =>
    new Table(database, values, transaction, { writes: deferred, table: place, keys });
  /** that are under way, one within another */
  let reads = 0;
  // their places stand in write-ahead logs
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
        // one within another has its snapshot, and cursors of the other one go on
        if (--reads === 0) resetTxn(transaction.address);
      }
    },
  };
}
