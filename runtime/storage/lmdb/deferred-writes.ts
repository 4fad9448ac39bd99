/**
 * Writes that are on the disk, in the write-ahead log, and that LMDB gets some at a time. A commit of LMDB is the larger part of what a write that
 * comes alone waits for; so the reads of single rows look here first, and whatever reads ranges, or writes otherwise, has LMDB get them all before.
 * For a process that has the store for itself.
 */
import { commitsAfter, type Deed, type LogFile, WriteAheadLog } from './write-ahead-log.ts';

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

export class DeferredWrites {
  readonly #log: WriteAheadLog;
  readonly #tables: DeferringTable[] = [];
  #rows: DeferredRow[] = [];
  #commits = 0;
  #collecting = false;
  /** runs its argument in a write transaction of LMDB's and returns when that is on the disk */
  readonly #transact: (write: () => void) => void;

  constructor(ahead: LogFile, transact: (write: () => void) => void) {
    this.#log = new WriteAheadLog(ahead);
    this.#transact = transact;
  }

  /** @param place of the table in the write-ahead log */
  register(place: number, table: DeferringTable): void {
    this.#tables[place] = table;
  }

  /**
   * Writes to LMDB what a process that ended had deferred, inside a write transaction.
   * @param revision the newest one of LMDB's. @throws Error of the file system
   */
  restore(ahead: LogFile, revision: number): void {
    for (const { rows } of commitsAfter(ahead, revision))
      for (const { table, deed, key, value } of rows) this.#tables[table]?.restore(deed, key, value);
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
   * Runs what writes rows of `MOST_COMMIT_BYTES` together at most, and defers them; they are on the disk when this returns.
   * @param write returns the newest revision then; undefined: nothing was written
   * @throws what `write`, the file system and `settle` throw; nothing has changed then
   */
  commit(write: () => number | undefined): void {
    if (this.isFull) this.settle();
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
    this.#transact(() => {
      for (const { write } of this.#rows) write();
    });
    this.#rows = [];
    this.#commits = 0;
    for (const table of this.#tables) table.forget();
    this.#log.restart();
  }

  /** What LMDB cannot take now it gets when the store is opened again. */
  close(): void {
    try {
      this.settle();
    } catch {
      for (const table of this.#tables) table.forget();
    }
    this.#log.close();
  }

  #showAll(): void {
    for (const table of this.#tables) table.forget();
    for (const { show } of this.#rows) show();
  }
}
