/**
 * Writes that are on the disk, in the write-ahead log, and that LMDB gets some at a time. A commit of LMDB is the larger part of what a writer
 * waits for where few write at a time. The reads of single rows look here first, and whatever reads ranges, or writes otherwise, has LMDB get them
 * all before. For a process that has the store for itself.
 */
import { randomBytes } from 'node:crypto';
import { commitsOf, type Deed, ROUND_BYTES, WriteAheadLog } from './write-ahead-log.ts';

/** Commits after which LMDB gets them: what it then takes is felt by whoever comes next. */
const MOST_COMMITS = 128;

/** What is done to one row of a table. */
export interface DeferredRow {
  /** makes it visible here */
  show(): void;
  /** writes it to LMDB, inside a write transaction */
  write(): void;
}

/** A table whose writes may be deferred. */
export interface DeferringTable {
  /** Forgets what was deferred. */
  forget(): void;
  /** Forgets what was collected and not shown. */
  drop(): void;
  /** Writes a row that was deferred to LMDB, inside a write transaction. */
  restore(deed: Deed, key: Buffer, value: Buffer): void;
}

/** What is needed of LMDB. */
export interface Settling {
  /** runs its argument in a write transaction and returns when that is on the disk; nothing has changed when it throws */
  transact(write: () => void): void;
  /** the round of the log that LMDB is waiting for; empty: none yet */
  round(): Buffer;
  /** inside a write transaction */
  putRound(round: Buffer): void;
}

/**
 * Commits are collected, which nobody sees but those that are collected with them; then flushed together, and visible to all; then LMDB gets them.
 * One batch is under way at a time.
 */
export class DeferredWrites {
  readonly #path: string;
  readonly #lmdb: Settling;
  readonly #log: WriteAheadLog;
  readonly #tables: DeferringTable[] = [];
  /** that are on the disk and visible */
  #rows: DeferredRow[] = [];
  #commits = 0;
  /** that are collected, in part perhaps on the disk */
  #batch: Batch = { rows: [], commits: 0 };
  #collecting = false;
  /** a flush has failed: what the disk has of it is not to count */
  #failed = false;
  /** LMDB could not take what it lacks the last time */
  #stuck = false;
  #isOn = false;

  /** @param path of the write-ahead log */
  constructor(path: string, lmdb: Settling) {
    this.#path = path;
    this.#lmdb = lmdb;
    this.#log = new WriteAheadLog(path, Buffer.alloc(ROUND_BYTES));
  }

  /** @param place of the table in the write-ahead log */
  register(place: number, table: DeferringTable): void {
    this.#tables[place] = table;
  }

  /**
   * To be called before anything else: writes to LMDB what a process that ended had deferred, and begins another round then.
   * @param revision gives LMDB's newest one
   * @param defers whether writes are deferred from now on
   * @throws Error of the file system or of LMDB, or for a log that does not go on where LMDB ends
   */
  restore(revision: () => number, defers: boolean): void {
    const round = randomBytes(ROUND_BYTES);
    this.#lmdb.transact(() => {
      const commits = commitsOf(this.#path, this.#lmdb.round(), revision());
      for (const { rows } of commits) for (const { table, deed, key, value } of rows) this.#table(table).restore(deed, key, value);
      if (defers || commits.length > 0) this.#lmdb.putRound(round);
    });
    this.#log.restart(round);
    this.#isOn = defers;
  }

  /** Whether writes may be deferred. */
  get isOn(): boolean {
    return this.#isOn;
  }

  #table(place: number): DeferringTable {
    const table = this.#tables[place];
    if (table === undefined) throw new Error(`${this.#path} has rows of a table ${place}, which is not known`);
    return table;
  }

  /** Whether rows that are written now are to be deferred. */
  get isCollecting(): boolean {
    return this.#collecting;
  }

  /** Whether LMDB lacks something that is visible. */
  get isPending(): boolean {
    return this.#commits > 0;
  }

  /** Whether `settle` is due: nothing more is taken before that. */
  get isFull(): boolean {
    return this.#stuck || this.#commits + this.#batch.commits >= MOST_COMMITS || this.#log.isFull;
  }

  /**
   * Runs what writes rows of `MOST_COMMIT_BYTES` together at most, as one commit of the batch. Not while `isFull`, nor while a flush is under way.
   * @param write returns the newest revision then; undefined: nothing was written
   * @throws what `write` and the file system throw; nothing is collected then
   */
  collect(write: () => number | undefined): void {
    try {
      this.#log.begin();
      this.#collecting = true;
      const revision = write();
      if (revision === undefined) return;
      this.#log.commit(revision);
      this.#batch.commits++;
    } catch (error) {
      this.#log.drop();
      this.#drop();
      throw error;
    } finally {
      this.#collecting = false;
    }
  }

  /** Resolves when what is collected is on the disk and visible. @throws Error of the file system; nothing is collected then */
  async flush(): Promise<void> {
    if (this.#batch.commits === 0) return;
    try {
      await this.#log.flush();
    } catch (error) {
      this.#fail();
      throw error;
    }
    this.#show();
  }

  /** For tables, while `isCollecting`. @returns the value where it stays until it is forgotten */
  log(table: number, deed: Deed, writeKey: (target: Buffer, position: number) => number, value: Buffer): Buffer {
    return this.#log.add(table, deed, writeKey, value);
  }

  /** For tables, while `isCollecting`. */
  add(row: DeferredRow): void {
    this.#batch.rows.push(row);
  }

  /**
   * Has LMDB get what it lacks; what is visible stays the same.
   * @throws Error of LMDB's; everything is as before then, on the disk and visible
   */
  settle(): void {
    if (this.#collecting) throw new Error('no range is read within a write that is deferred');
    // What is being flushed is of this round, and goes on where LMDB then ends.
    const isFlushing = this.#batch.commits > 0;
    const isRoundOver = !isFlushing && (this.#failed || this.#log.isFull);
    if (!this.isPending && !isRoundOver) return;
    const round = isFlushing ? undefined : randomBytes(ROUND_BYTES);
    this.#stuck = true;
    this.#lmdb.transact(() => {
      for (const row of this.#rows) row.write();
      if (round !== undefined) this.#lmdb.putRound(round);
    });
    this.#stuck = false;
    this.#forget();
    if (round === undefined) return;
    this.#failed = false;
    this.#log.restart(round);
  }

  /** What LMDB cannot take now it gets when the store is opened again. */
  close(): void {
    try {
      this.settle();
    } catch {
      this.#forget();
    }
    this.#log.close();
  }

  #forget(): void {
    this.#rows = [];
    this.#commits = 0;
    for (const table of this.#tables) table.forget();
  }

  #drop(): void {
    this.#batch = { rows: [], commits: 0 };
    for (const table of this.#tables) table.drop();
  }

  #fail(): void {
    this.#failed = true;
    this.#drop();
  }

  #show(): void {
    const { rows, commits } = this.#batch;
    for (const row of rows) {
      row.show();
      this.#rows.push(row);
    }
    this.#commits += commits;
    this.#drop();
  }
}

interface Batch {
  readonly rows: DeferredRow[];
  commits: number;
}
