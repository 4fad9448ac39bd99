/**
 * Deferred writes: they are on the disk in the write-ahead log, and LMDB gets them later, many in one transaction. Where few write at a time, a commit of LMDB
 * is the larger part of what a writer waits for, and a deferred write does not wait for one. Reads of single keys look among deferred writes first. A read of a
 * range first hands them to LMDB where they are many, and every other write to LMDB does so always. Only a process that has the store for itself defers writes.
 */
import type { StorageUnwritable } from '../../errors.ts';
import type { KeyCodec } from '../codecs/codecs.ts';
import type { DeferredRow, DeferringTable } from './deferring-table.ts';
import type { Deed, LoggedRow } from './log-layout.ts';
import { isOfSameLog, type LogNote, nextRound } from './log-note.ts';
import { type FoundLog, readLog } from './log-reader.ts';
import { WriteAheadLog } from './write-ahead-log.ts';

/** LMDB gets deferred writes after so many commits. With more, the transaction of LMDB would delay the next writer noticeably. */
const MOST_COMMITS = 128;

/**
 * Reads of ranges merge up to so many deferred rows with what LMDB has. To merge a row takes a microsecond; a commit of LMDB takes some milliseconds, in which
 * the thread does nothing else.
 */
const MOST_OVERLAID = 512;

/** What deferred writes need of LMDB. */
export interface Settling {
  /** runs its argument in a write transaction and returns when that is on the disk; nothing has changed when it throws */
  transact(write: () => void): void;
  /** Returns the note about the log; undefined if LMDB never had a log. */
  note(): LogNote | undefined;
  /** Does the same within some microseconds, outside of write transactions. */
  committedNote(): LogNote | undefined;
  /** Stores the note. It must be called inside a write transaction. */
  putNote(note: LogNote): void;
  /** Returns the newest revision. */
  revision(): number;
  /** A row that puts the newest revision beyond all that may have been given since and are lost, so that whoever knows a lost one finds out. */
  skipRevisions(): LoggedRow;
}

/**
 * The way of a commit: it is collected, and only later commits of the same batch see it; the batch is flushed to the log, and all reads see it; LMDB gets it.
 * One batch is under way at a time.
 */
export class DeferredWrites {
  readonly #path: string;
  readonly #lmdb: Settling;
  readonly #log: WriteAheadLog;
  readonly #tables: DeferringTable[] = [];
  /** rows that are on the disk in the log, visible, and not in LMDB */
  #rows: DeferredRow[] = [];
  /** how many commits these rows are of */
  #commits = 0;
  /** commits that are collected; some of them may be on the disk */
  #batch: Batch = { rows: [], commits: 0, revision: 0 };
  #collecting = false;
  /** how the last flush of the round ended: what has failed must not count; where it is in doubt, the log may have it all the same */
  #lastFlush: 'succeeded' | 'failed' | 'inDoubt' = 'succeeded';
  /** whether LMDB could not be written the last time */
  #stuck = false;
  /** whether a new round has to begin before anything is written to the log */
  #mustBegin = false;
  /** whether the file of the log may have records of the round before that of LMDB's note */
  #hasBefore = false;
  #isOn = false;
  #note: LogNote | undefined;
  /** the newest revision of the visible rows */
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
   * Writes to LMDB what an earlier process had deferred. To be called before anything else. Where LMDB cannot be written, this process shows those writes, and
   * LMDB gets them later; other processes would not see them.
   * @param defers whether writes are deferred from now on
   * @returns whether the log ended with a record that was not written whole, which is dropped
   * @throws DamagedStorage where the log is not what LMDB's note says, Error of the file system or of LMDB
   */
  restore(defers: boolean): boolean {
    this.#note = this.#lmdb.note();
    const { isTorn } = defers ? this.#goOn() : this.#endLog();
    this.#isOn = defers;
    return isTorn;
  }

  /** Writes the log to LMDB and ends it: other processes open the store too, and know nothing but LMDB. */
  #endLog(): FoundLog {
    const found = readLog(this.#path, this.#note, this.#lmdb.revision());
    if (this.#note === undefined || this.#note.isOver) return found;
    let taken = found;
    this.#lmdb.transact(() => {
      // another process may have ended the log meanwhile
      const note = this.#lmdb.note();
      taken = readLog(this.#path, note, this.#lmdb.revision());
      this.#take(taken);
      if (note !== undefined) this.#lmdb.putNote({ ...note, isOver: true });
    });
    return taken;
  }

  /** Writes the log to LMDB, and goes on with it. */
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

  /**
   * @returns false where LMDB could not be written, and the writes are kept here.
   * @throws errors of others than LMDB, and all errors while LMDB has no note yet
   */
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

  /** Shows writes that LMDB could not take. */
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
    // counts as a commit, so that `isPending` says that there is one
    this.#commits++;
    show(this.#lmdb.skipRevisions());
  }

  /** Changes LMDB and its note about the log in one transaction. */
  #change(note: LogNote, write: () => void): void {
    this.#lmdb.transact(() => {
      this.#assertAlone();
      write();
      this.#lmdb.putNote(note);
    });
    this.#note = note;
  }

  /** Begins a new round of the log. @param write writes to LMDB what it lacks */
  #begin(write: () => void): void {
    const note = nextRound(this.#note, this.#hasBefore);
    this.#change(note, write);
    this.#log.restart(note.round, this.#lmdb.revision());
    this.#mustBegin = false;
    this.#lastFlush = 'succeeded';
    this.#hasBefore = true;
  }

  /** Begins the round on the disk. From now on the store counts as damaged where the log is missing. Where this fails, the next writer gets the error. */
  #establish(): void {
    try {
      this.#log.establish();
    } catch {
      return;
    }
    this.#hasBefore = false;
    this.#change({ ...(this.#note as LogNote), reached: this.#lmdb.revision() }, () => {});
  }

  /**
   * Notes that LMDB changes. It must be called inside each write transaction of others that changes something.
   * @throws Error as `#assertAlone`
   * @returns a function to call when the transaction has succeeded or failed
   */
  changing(): (succeeded: boolean) => void {
    const note = this.#note;
    if (note === undefined || note.isOver || !this.#isOn) return () => {};
    this.#assertAlone();
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

  /** Whether rows that are written now are collected here. */
  get isCollecting(): boolean {
    return this.#collecting;
  }

  /** Whether LMDB lacks rows that are visible. */
  get isPending(): boolean {
    return this.#commits > 0;
  }

  /** Whether LMDB could not be written the last time. */
  get isStuck(): boolean {
    return this.#stuck;
  }

  /** Whether a process that opens the store now may find writes of a flush that has failed. Another round ends that. */
  get isInDoubt(): boolean {
    return this.#lastFlush === 'inDoubt';
  }

  /** Whether `settle` is due. Nothing more must be collected before that: not behind a flush that failed either, of which the log may have a part. */
  get isFull(): boolean {
    return this.#stuck || this.#lastFlush !== 'succeeded' || this.#commits + this.#batch.commits >= MOST_COMMITS || this.#log.isFull;
  }

  /**
   * Runs `write`, and collects its rows as one commit of the batch: no more than `MOST_COMMIT_BYTES`. Must not be called while `isFull`, nor during a flush.
   * @param write returns the newest revision when it has run; undefined: it has written nothing
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
   * Flushes the batch to the disk, and makes it visible.
   * @param isLone as of `WriteAheadLog.flush`
   * @returns a promise that resolves then; undefined where it is done already
   * @throws StorageUnwritable that names the log, or the promise rejects with it; nothing is collected then
   */
  flush(isLone = false): Promise<void> | undefined {
    if (this.#batch.commits === 0) return undefined;
    const failed = (error: unknown): never => {
      this.#lastFlush = (error as StorageUnwritable).outcomeUnknown ? 'inDoubt' : 'failed';
      this.#drop();
      throw error;
    };
    let flushing: Promise<void> | undefined;
    try {
      flushing = this.#log.flush(isLone, () => this.#assertAlone(this.#lmdb.committedNote()));
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

  /**
   * Every process that opens the store changes LMDB's note about the log, and reads the log only once.
   * @throws Error if another process has opened the store since
   */
  #assertAlone(note = this.#lmdb.note()): void {
    if (!isOfSameLog(note, this.#note))
      throw new Error('another process has opened it, although this one has it for itself: two servers have the folder at once');
  }

  /** Adds a row to the log. Tables call this while `isCollecting`. @returns the offset at which the value begins in `memory` */
  log<Key>(table: number, deed: Deed, keys: Pick<KeyCodec<Key>, 'writeKey'>, key: Key, value: Buffer): number {
    return this.#log.add(table, deed, keys, key, value);
  }

  /** The buffer that has the values which are logged now, until they are forgotten. */
  get memory(): Buffer {
    return this.#log.memory;
  }

  /** Adds a deferred row to the batch. Tables call this while `isCollecting`. */
  add(row: DeferredRow): void {
    this.#batch.rows.push(row);
  }

  /**
   * Hands deferred writes to LMDB. What is visible stays the same.
   * @throws Error of LMDB; the writes stay on the disk and visible then
   */
  settle(): void {
    if (this.#collecting) throw new Error('no range is read within a write that is deferred');
    // A batch that is being flushed belongs to this round, so the round cannot end meanwhile.
    const isFlushing = this.#batch.commits > 0;
    const isRoundOver = !isFlushing && (this.#lastFlush !== 'succeeded' || this.#mustBegin || this.#log.isFull);
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
  }

  /**
   * Called before a read of a range. Hands deferred writes to LMDB where they are many, unless LMDB could not be written the last time: then only writers try
   * again. Gives all reads of one turn the same answer.
   * @returns whether LMDB has everything that is visible
   */
  trySettle(): boolean {
    if (this.#collecting) throw new Error('no range is read within a write that is deferred');
    if (this.#stuck || this.#rows.length <= MOST_OVERLAID) return !this.isPending;
    try {
      this.settle();
      return true;
    } catch {
      // the next writer gets the error
      return false;
    }
  }

  /** Hands deferred writes to LMDB. Where LMDB cannot be written, it gets them when the store is opened again. */
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
  /** the newest revision */
  revision: number;
}
