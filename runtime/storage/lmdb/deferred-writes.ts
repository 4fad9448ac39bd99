/**
 * Writes that are on the disk, in the write-ahead log, and that LMDB gets some at a time. A commit of LMDB is the larger part of what a write that
 * comes alone waits for; so the reads of single rows look here first, and whatever reads ranges, or writes otherwise, has LMDB get them all before.
 * For a process that has the store for itself.
 */
import { randomBytes } from 'node:crypto';
import { commitsOf, type Deed, ROUND_BYTES, WriteAheadLog } from './write-ahead-log.ts';

/** Commits after which LMDB gets them: what it then takes is felt by whoever comes next. */
const MOST_COMMITS = 32;

/** A table whose writes may be deferred. */
export interface DeferringTable {
  /** Forgets what was deferred. */
  forget(): void;
  /** Writes a row that was deferred to LMDB, inside a write transaction. */
  restore(deed: Deed, key: Buffer, value: Buffer): void;
}

interface DeferredRow {
  /** makes the row visible here */
  readonly show: () => void;
  /** writes it to LMDB, inside a write transaction */
  readonly write: () => void;
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

export class DeferredWrites {
  readonly #path: string;
  readonly #lmdb: Settling;
  readonly #log: WriteAheadLog;
  readonly #tables: DeferringTable[] = [];
  #rows: DeferredRow[] = [];
  #commits = 0;
  #collecting = false;
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

  /** Whether LMDB lacks something. */
  get isPending(): boolean {
    return this.#commits > 0;
  }

  /** Whether `settle` is due. */
  get isFull(): boolean {
    return this.#commits >= MOST_COMMITS || this.#log.isFull;
  }

  /**
   * Runs what writes rows of `MOST_COMMIT_BYTES` together at most, and defers them; they are on the disk when this returns. Not while `isFull`.
   * @param write returns the newest revision then; undefined: nothing was written
   * @throws what `write` and the file system throw; nothing has changed then
   */
  commit(write: () => number | undefined): void {
    const before = this.#rows.length;
    try {
      this.#log.begin();
      this.#collecting = true;
      const revision = write();
      this.#collecting = false;
      if (revision === undefined) return;
      this.#log.commit(revision);
      this.#commits++;
    } catch (error) {
      this.#collecting = false;
      this.#rows.length = before;
      this.#showAll();
      throw error;
    }
  }

  /** For tables, while `isCollecting`. @param show gets the value where it stays until it is forgotten */
  add(
    table: number,
    deed: Deed,
    writeKey: (target: Buffer, position: number) => number,
    value: Buffer,
    row: (kept: Buffer) => DeferredRow,
  ): void {
    const added = row(this.#log.add(table, deed, writeKey, value));
    added.show();
    this.#rows.push(added);
  }

  /** Has LMDB get what it lacks. @throws Error of LMDB's; everything is as before then, on the disk and visible */
  settle(): void {
    if (!this.isPending) return;
    if (this.#collecting) throw new Error('no range is read within a write that is deferred');
    const round = randomBytes(ROUND_BYTES);
    this.#lmdb.transact(() => {
      for (const { write } of this.#rows) write();
      this.#lmdb.putRound(round);
    });
    this.#forget();
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

  #showAll(): void {
    for (const table of this.#tables) table.forget();
    for (const { show } of this.#rows) show();
  }
}
