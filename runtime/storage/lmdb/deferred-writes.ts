/**
 * Writes that are on the disk, in the write-ahead log, and that LMDB gets some at a time. A commit of LMDB is the larger part of what a writer
 * waits for where few write at a time. Reads look here first; who reads ranges has LMDB get them all before where they are many, and whoever writes
 * otherwise does so always. For a process that has the store for itself.
 */
import { randomBytes } from 'node:crypto';
import type { KeyCodec } from './codecs.ts';
import type { Deed, LoggedRow } from './log-layout.ts';
import { type LogNote, ROUND_BYTES } from './log-note.ts';
import { type FoundLog, readLog } from './log-reader.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** Commits after which LMDB gets them: what it then takes is felt by whoever comes next. */
const MOST_COMMITS = 128;

/**
 * Rows that reads of ranges look through: it takes a microsecond to put one in its place, and a commit of LMDB some milliseconds, in which the thread does
 * nothing else.
 */
const MOST_OVERLAID = 512;

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
  /** A row that was deferred, to be shown, and written to LMDB later. */
  kept(deed: Deed, key: Buffer, value: Buffer): DeferredRow;
}

/** What is needed of LMDB. */
export interface Settling {
  /** runs its argument in a write transaction and returns when that is on the disk; nothing has changed when it throws */
  transact(write: () => void): void;
  /** undefined: LMDB never had a log */
  note(): LogNote | undefined;
  /** inside a write transaction */
  putNote(note: LogNote): void;
  /** newest one */
  revision(): number;
  /** What goes beyond all revisions that may have been given since the newest one, which are lost; who knows them is to find out. */
  skipRevisions(): LoggedRow;
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
  #batch: Batch = { rows: [], commits: 0, revision: 0 };
  #collecting = false;
  /** a flush has failed: what the disk has of it is not to count */
  #failed = false;
  /** LMDB could not take what it lacks the last time */
  #stuck = false;
  /** no round counts: one is to be begun before anything is written to the log */
  #mustBegin = false;
  /** what the file has, if anything, is of the round before that of LMDB's note */
  #hasBefore = false;
  #isOn = false;
  #note: LogNote | undefined;
  /** newest revision of what is visible */
  #shown = 0;

  /** @param path of the write-ahead log */
  constructor(path: string, lmdb: Settling) {
    this.#path = path;
    this.#lmdb = lmdb;
    this.#log = new WriteAheadLog(path);
  }

  /** @param place of the table in the write-ahead log */
  register(place: number, table: DeferringTable): void {
    this.#tables[place] = table;
  }

  /**
   * To be called before anything else: writes to LMDB what a process that ended had deferred.
   * @param defers whether writes are deferred from now on
   * @returns whether the log ended with something that was not written whole, and is dropped
   * Where LMDB cannot take that, it is visible, and LMDB gets it later; but other processes would not see it.
   * @throws DamagedStorage where the log is not what LMDB's note says, Error of the file system or of LMDB
   */
  restore(defers: boolean): boolean {
    this.#note = this.#lmdb.note();
    const { isTorn } = defers ? this.#goOn() : this.#endLog();
    this.#isOn = defers;
    return isTorn;
  }

  /** Other processes have the store too, which look for nothing but LMDB. */
  #endLog(): FoundLog {
    const found = readLog(this.#path, this.#note, this.#lmdb.revision());
    if (this.#note === undefined || this.#note.isOver) return found;
    let taken = found;
    this.#lmdb.transact(() => {
      // another process may have been faster
      const note = this.#lmdb.note();
      taken = readLog(this.#path, note, this.#lmdb.revision());
      this.#take(taken);
      if (note !== undefined) this.#lmdb.putNote({ ...note, isOver: true });
    });
    return taken;
  }

  #goOn(): FoundLog {
    const note = this.#note;
    const found = readLog(this.#path, note, this.#lmdb.revision());
    this.#hasBefore = found.isOfBefore;
    if (note === undefined || note.isOver || found.isTorn || found.end === 0) {
      this.#mustBegin = true;
      if (this.#takesOrKeeps(found, () => this.#begin(() => this.#take(found)))) this.#establish();
      return found;
    }
    this.#log.goOn(note.round, found.end);
    const last = found.commits.at(-1);
    if (last !== undefined) this.#takesOrKeeps(found, () => this.#change({ ...note, reached: last.revision }, () => this.#take(found)));
    return found;
  }

  /** @returns whether LMDB could take it. @throws what is no error of LMDB's, and any where LMDB has nothing yet */
  #takesOrKeeps(found: FoundLog, take: () => void): boolean {
    try {
      take();
      return true;
    } catch (error) {
      if (this.#note === undefined || typeof (error as { code?: unknown }).code !== 'number') throw error;
      this.#keep(found);
      return false;
    }
  }

  /** Inside a write transaction. */
  #take({ commits, isTorn }: FoundLog): void {
    for (const { rows } of commits) for (const { table, deed, key, value } of rows) this.#table(table).restore(deed, key, value);
    if (!isTorn) return;
    const { table, deed, key, value } = this.#lmdb.skipRevisions();
    this.#table(table).restore(deed, key, value);
  }

  /** Shows what LMDB could not take. */
  #keep({ commits, isTorn }: FoundLog): void {
    this.#stuck = true;
    const show = ({ table, deed, key, value }: LoggedRow): void => {
      const row = this.#table(table).kept(deed, key, value);
      row.show();
      this.#rows.push(row);
    };
    for (const commit of commits) {
      commit.rows.forEach(show);
      this.#commits++;
      this.#shown = commit.revision;
    }
    if (!isTorn) return;
    // a commit of its own: it is pending, and so looked at
    this.#commits++;
    show(this.#lmdb.skipRevisions());
  }

  /** Changes LMDB, and what it notes of the log, together. */
  #change(note: LogNote, write: () => void): void {
    this.#lmdb.transact(() => {
      write();
      this.#lmdb.putNote(note);
    });
    this.#note = note;
  }

  #begin(write: () => void): void {
    const note = nextRound(this.#note, this.#hasBefore);
    this.#change(note, write);
    this.#log.restart(note.round, this.#lmdb.revision());
    this.#mustBegin = false;
    this.#hasBefore = true;
  }

  /** From now on the log is to be there. Where it cannot be written, whoever writes is told. */
  #establish(): void {
    try {
      this.#log.establish();
    } catch {
      return;
    }
    this.#hasBefore = false;
    this.#change({ ...(this.#note as LogNote), reached: this.#lmdb.revision() }, () => {});
  }

  /** To be called inside of each write transaction that changes anything in another way. @returns to be called when it has succeeded or failed */
  changing(): (succeeded: boolean) => void {
    const note = this.#note;
    if (note === undefined || note.isOver || !this.#isOn) return () => {};
    const generation = (note.generation + 1) % 2 ** 32;
    this.#note = { ...note, generation };
    this.#lmdb.putNote(this.#note);
    return (succeeded) => {
      if (!succeeded) this.#note = this.#lmdb.note();
    };
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

  /** Whether LMDB could not take what it lacks the last time. */
  get isStuck(): boolean {
    return this.#stuck;
  }

  /** Whether `settle` is due: nothing more is taken before that. */
  get isFull(): boolean {
    return this.#stuck || this.#commits + this.#batch.commits >= MOST_COMMITS || this.#log.isFull;
  }

  /**
   * Runs what writes rows of `MOST_COMMIT_BYTES` together at most, as one commit of the batch. Not while `isFull`, nor while a flush is under way.
   * @param write returns the newest revision then; undefined: nothing was written
   * @throws what `write` throws, StorageUnwritable that names the log; nothing is collected then
   */
  collect(write: () => number | undefined): void {
    try {
      this.#log.begin();
      this.#collecting = true;
      const revision = write();
      if (revision === undefined) return;
      this.#log.commit(revision, this.#note?.generation ?? 0);
      this.#batch.commits++;
      this.#batch.revision = revision;
    } catch (error) {
      this.#log.drop();
      this.#drop();
      throw error;
    } finally {
      this.#collecting = false;
    }
  }

  /**
   * Has what is collected be on the disk and visible.
   * @param isLone as `WriteAheadLog.flush` has it
   * @returns a promise that resolves then; undefined: it is
   * @throws StorageUnwritable that names the log, or the promise rejects with it; nothing is collected then
   */
  flush(isLone = false): Promise<void> | undefined {
    if (this.#batch.commits === 0) return undefined;
    const failed = (error: unknown): never => {
      this.#fail();
      throw error;
    };
    let flushing: Promise<void> | undefined;
    try {
      flushing = this.#log.flush(isLone);
    } catch (error) {
      failed(error);
    }
    if (flushing === undefined) return this.#flushed();
    return flushing.then(() => this.#flushed(), failed);
  }

  #flushed(): undefined {
    this.#hasBefore = false;
    this.#show();
  }

  /** For tables, while `isCollecting`. @returns where the value begins in `memory` */
  log<Key>(table: number, deed: Deed, keys: Pick<KeyCodec<Key>, 'writeKey'>, key: Key, value: Buffer): number {
    return this.#log.add(table, deed, keys, key, value);
  }

  /** Where values stay that are logged now, until they are forgotten. */
  get memory(): Buffer {
    return this.#log.memory;
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
    const isRoundOver = !isFlushing && (this.#failed || this.#mustBegin || this.#log.isFull);
    if (!this.isPending && !isRoundOver) return;
    const note = this.#note as LogNote;
    const write = (): void => {
      for (const row of this.#rows) row.write();
    };
    this.#stuck = true;
    if (isRoundOver) this.#begin(write);
    else this.#change({ ...note, reached: this.#shown }, write);
    this.#stuck = false;
    this.#forget();
    if (isRoundOver) this.#failed = false;
  }

  /**
   * For who reads: has LMDB get what it lacks, if that is much and it could take it the last time. Where it could not, whoever writes tries. All who read
   * within one turn are told the same.
   * @returns whether it lacks nothing that is visible
   */
  trySettle(): boolean {
    if (this.#collecting) throw new Error('no range is read within a write that is deferred');
    if (this.#stuck || this.#rows.length <= MOST_OVERLAID) return !this.isPending;
    try {
      this.settle();
      return true;
    } catch {
      // who writes is told
      return false;
    }
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
    this.#batch = { rows: [], commits: 0, revision: 0 };
    for (const table of this.#tables) table.drop();
  }

  #fail(): void {
    this.#failed = true;
    this.#drop();
  }

  #show(): void {
    const { rows, commits, revision } = this.#batch;
    this.#shown = revision;
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
  /** newest one */
  revision: number;
}

/**
 * It may have to be put where the log cannot be written: so the log need not have it, before LMDB gets something of it.
 * @param hasBefore the log has nothing of the note's round either, which could not be written
 */
const nextRound = (note: LogNote | undefined, hasBefore: boolean): LogNote => ({
  round: randomBytes(ROUND_BYTES),
  before: (hasBefore ? note?.before : note?.round) ?? Buffer.alloc(0),
  reached: -1,
  generation: 0,
  isOver: false,
});
