/** Opens, writes, copies and closes the file of the store. */
import { REVISION_END, stateValue } from '../codecs/codecs.ts';
import { DamagedStorage } from '../files/damage.ts';
import { DiskGate } from '../store-files/disk-gate.ts';
import type { FormatRecord } from '../store-files/format.ts';
import { dataFile, logFile } from '../store-files/store-files.ts';
import { DeferredWrites } from '../write-ahead-log/deferred-writes.ts';
import { Deed, type LoggedRow } from '../write-ahead-log/log-layout.ts';
import { End } from './end.ts';
import { type NativeRoot, noteOf, openRoot, putNote, resetTxn } from './native-root.ts';
import type { NativeTransaction } from './table.ts';
import { createTables, openDatabases, ownTransaction, STATES, type Tables } from './tables.ts';
import { TransactionWatch } from './transaction-watch.ts';

/** What only opening, writing and closing need. */
export interface Environment {
  readonly tables: Tables;
  /**
   * True once LMDB could not write its head, so that nobody knows which transaction is the newest one on the disk, and once a transaction did not end. This
   * process reads nothing any more then, and every write throws the error of that transaction. Another process may open the file.
   */
  readonly hasEnded: boolean;
  /**
   * Runs `action` in a write transaction, after LMDB has got all deferred writes.
   * @returns the result of `action`, when it is on the disk
   * @throws what `DeferredWrites.settle` throws, Error of LMDB or the file system
   */
  transaction<T>(action: () => T): Promise<T>;
  /** the deferred writes of a process that has the store for itself; they must not be used while a call of `transaction` is under way */
  readonly deferred: DeferredWrites;
  /** Frees the snapshots of processes that died. */
  checkReaders(): void;
  /**
   * Writes the state of one moment to a new file in an existing directory, after LMDB has got all deferred writes.
   * @throws what `DeferredWrites.settle` throws
   */
  copy(directory: string): Promise<void>;
  /** waits for write transactions under way, not for copies */
  close(): Promise<void>;
}

export interface EnvironmentOptions {
  readonly directory: string;
  /** bytes of the map; LMDB makes another map when the file outgrows it, which the store should not let happen */
  readonly addressSpace: number;
  /** Is called in a write transaction before a database is created. If it throws, the opening fails. */
  checkFormat(record: FormatRecord): void;
  /** the definition of the terms that are posted; if it differs from the last one, the postings are made again. Absent if they stay as they are */
  readonly termsDefinition?: string;
  /** whether writes may be deferred, unless another process has the file open; no other process opens it later */
  readonly defers: boolean;
  /** milliseconds between two looks at a transaction that may never be over: see TransactionWatch */
  readonly transactionLook?: number | undefined;
  /** Is called when the write-ahead log ended with a record that was not written completely, and that was dropped. It must not throw. */
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
    return new LmdbEnvironment(root, options);
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** Looks at a write transaction, one a second, until it counts as stuck. LMDB flushes within a moment what a disk takes at all. */
const MOST_LOOKS = 60;
/** The same for a transaction behind one that has failed. */
const MOST_LOOKS_IN_DOUBT = 10;

/** How many revisions may have been given since LMDB got the last one: the write-ahead log takes no more. */
const MOST_GIVEN_AHEAD = 1_000;

class LmdbEnvironment implements Environment {
  readonly tables: Tables;
  readonly deferred: DeferredWrites;
  readonly #root: NativeRoot;
  readonly #addressSpace: number;
  /** the transaction in which all tables read */
  readonly #reading: NativeTransaction;
  readonly #end: End;
  readonly #gate: DiskGate;
  readonly #watch: TransactionWatch;

  constructor(root: NativeRoot, options: EnvironmentOptions) {
    const { directory, addressSpace, termsDefinition, defers, tornLog, transactionLook } = options;
    const natives = openDatabases(root);
    this.#root = root;
    this.#addressSpace = addressSpace;
    this.#reading = ownTransaction(root);
    this.#end = new End(root, this.#reading, dataFile(directory));
    this.#gate = new DiskGate(directory);
    this.#watch = new TransactionWatch({
      most: () => (this.#gate.isDoubtful ? MOST_LOOKS_IN_DOUBT : MOST_LOOKS),
      stuck: () => this.#end.ofTransaction(),
      look: transactionLook,
    });
    this.deferred = new DeferredWrites(logFile(directory), {
      transact: (write) => this.#transact(write),
      note() {
        // lmdb's own read transaction may be older than the last write
        root.resetReadTxn();
        return noteOf(root);
      },
      committedNote: () => {
        resetTxn(this.#reading.address);
        try {
          return noteOf(root, this.#reading);
        } finally {
          resetTxn(this.#reading.address);
        }
      },
      putNote: (note) => putNote(root, note),
      revision: () => this.tables.state().revision,
      skipRevisions: () => skipRevisions(this.tables),
    });
    this.tables = createTables(root, natives, this.#reading, this.deferred, this.#end);
    assertWhole(this.tables, directory);
    if (this.deferred.restore(defers && !isOpenElsewhere(root))) tornLog?.();
    this.#end.assertNone();
    if (termsDefinition !== undefined) resetPostings(root, natives, termsDefinition, this.deferred);
  }

  get hasEnded(): boolean {
    return this.#end.hasCome;
  }

  /** Writes what was deferred, on this thread. */
  #transact(write: () => void): void {
    this.#assertWritable();
    try {
      this.#root.transactionSync(write);
    } catch (error) {
      this.#gate.passed(false);
      this.#end.look(error);
      throw error;
    }
    this.#gate.passed(true);
    // the next read of this turn sees what was written
    resetTxn(this.#reading.address);
  }

  async transaction<T>(action: () => T): Promise<T> {
    this.#assertWritable();
    this.deferred.settle();
    let changed = (_succeeded: boolean): void => {};
    try {
      const result = await this.#watch.until(
        this.#root.transaction(() => {
          const acted = action();
          changed = this.deferred.changing();
          return acted;
        }),
      );
      this.#gate.passed(true);
      changed(true);
      return result;
    } catch (error) {
      this.#gate.passed(false);
      this.#end.look(error);
      // `changed` asks LMDB for its state, which nobody can do after the end
      if (!this.#end.hasCome) changed(false);
      throw error;
    }
  }

  #assertWritable(): void {
    this.#end.assertNone();
    this.#gate.assertOpen();
  }

  checkReaders(): void {
    this.#root.readerCheck();
  }

  async copy(directory: string): Promise<void> {
    this.deferred.settle();
    await this.#root.backup(directory, true);
    await endLogOf(directory, this.#addressSpace);
  }

  async close(): Promise<void> {
    this.deferred.close();
    this.tables.recent.forget();
    this.#reading.done();
    this.#reading.isDone = true;
    this.#gate.close();
    // LMDB may never begin a transaction that waits behind the end: closing would wait for it for ever
    if (this.#end.hasCome) void this.#root.close();
    else await this.#root.close();
  }
}

/** A row that puts the newest revision behind all revisions that may have been given and are lost, and counts what is before it as compacted. */
function skipRevisions(tables: Tables): LoggedRow {
  const state = tables.state();
  const revision = state.revision + MOST_GIVEN_AHEAD;
  const value = Buffer.from(stateValue.encode({ ...state, revision, compacted: revision }));
  return { table: STATES, deed: Deed.put, key: Buffer.from('state'), value };
}

/** Notes in a copy that it has no write-ahead log: all that the log had is in the copy itself. */
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

/** Finds out, without reading all of the file, whether revisions would be given twice. @throws DamagedStorage where they would */
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

/** Whether another process has the file open: a worker may outlive its supervisor for a moment. */
function isOpenElsewhere(root: NativeRoot): boolean {
  const [, ...readers] = root.readerList().trim().split('\n');
  return readers.some((reader) => Number.parseInt(reader, 10) !== process.pid);
}

/** Drops all postings where terms are defined otherwise than when they were posted. @throws what `DeferredWrites.settle` throws */
function resetPostings(
  root: NativeRoot,
  { postings }: ReturnType<typeof openDatabases>,
  definition: string,
  deferred: DeferredWrites,
): void {
  if (root.getBinaryFast('terms', {})?.toString() === definition) return;
  // deferred counters would undo this when LMDB gets them: they still say how far the old postings went
  if (deferred.isPending) deferred.settle();
  root.transactionSync(() => {
    postings.clearSync();
    root.put('terms', Buffer.from(definition));
    const state = root.getBinaryFast('state', {});
    if (state !== undefined) root.put('state', stateValue.encode({ ...stateValue.decode(state), posted: 0 }));
    deferred.changing();
  });
}
