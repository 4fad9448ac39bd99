/**
 * Reads what a process that ended has left in the write-ahead log. Only what was being written when it ended may be cut short: whatever else is not as
 * it was written is damage, of which nobody knows how much was acknowledged.
 */
import { crc32 } from 'node:zlib';
import { readRevision } from '../codecs/codecs.ts';
import { DamagedStorage } from '../files/damage.ts';
import { type Beginning, beginningOf, statusOf, unreadable } from '../files/regular-file.ts';
import { FILE_BYTES, HEAD, type LoggedRow, MOST_RECORD_BYTES, Part, ROW_HEAD } from './log-layout.ts';
import { type LogNote, ROUND_BYTES } from './log-note.ts';

export interface Commit {
  readonly revision: number;
  readonly rows: readonly LoggedRow[];
}

export interface FoundLog {
  /** the commits that LMDB lacks, in order and without gaps */
  readonly commits: readonly Commit[];
  /** the position of the next record; 0 if the round has not begun */
  readonly end: number;
  /** whether there is a record behind the end that was not written completely; it was not acknowledged, unless it was damaged later, which looks the same */
  readonly isTorn: boolean;
  /** whether the records in the file belong to the round before LMDB's */
  readonly isOfBefore: boolean;
}

const NOTHING: FoundLog = { commits: [], end: 0, isTorn: false, isOfBefore: false };
const OF_BEFORE: FoundLog = { ...NOTHING, isOfBefore: true };

/**
 * @param note of LMDB; undefined where it never had a log
 * @param revision LMDB's newest one
 * @throws DamagedStorage, Error of the file system that names the file
 */
export function readLog(path: string, note: LogNote | undefined, revision: number): FoundLog {
  if (note?.isOver === true) return whenOver(path, note, revision);
  const found = contentOf(path);
  if (found === undefined) return withoutFile(path, note);
  const { bytes, size } = found;
  if (note === undefined) return ofAnotherStore(path, bytes);
  if (size !== FILE_BYTES) throw new DamagedStorage(path, `has ${size} bytes, where it always has ${FILE_BYTES}`);
  return new Reading(path, bytes, note).found(revision);
}

function contentOf(path: string): Beginning | undefined {
  if (statusOf(path) === undefined) return undefined;
  const found = read(path);
  if (found === undefined) throw new DamagedStorage(path, 'is not a regular file');
  return found;
}

function read(path: string): Beginning | undefined {
  try {
    return beginningOf(path, FILE_BYTES);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO') throw new DamagedStorage(path, 'cannot be read from the disk (EIO)');
    throw unreadable(path, error);
  }
}

/**
 * LMDB has all of it, so that a file that is damaged or gone has lost nothing. But one that has more, or that is of another time, tells that the data is not
 * the one that it stood beside.
 */
function whenOver(path: string, note: LogNote, revision: number): FoundLog {
  const bytes = readable(path);
  const first = bytes === undefined ? undefined : recordAt(bytes, 0);
  if (bytes === undefined || first === undefined) return NOTHING;
  const of = (record: FoundRecord, round: Buffer): boolean => roundOf(bytes, record).equals(round);
  const isOfBefore = note.reached < 0 && of(first, note.before);
  const round = isOfBefore ? note.before : note.round;
  if (!of(first, round)) throw new DamagedStorage(path, OF_ANOTHER_TIME);
  for (let record: FoundRecord | undefined = first; record !== undefined && of(record, round); record = recordAt(bytes, record.end)) {
    if (record.revision <= revision) continue;
    throw new DamagedStorage(
      path,
      `has revision ${record.revision}, where data.mdb beside it ends with ${revision} and says to have all of it`,
    );
  }
  return isOfBefore ? OF_BEFORE : NOTHING;
}

function readable(path: string): Buffer | undefined {
  try {
    return beginningOf(path, FILE_BYTES)?.bytes;
  } catch {
    return undefined;
  }
}

const OF_ANOTHER_TIME = 'has writes of another time, or of another store, than data.mdb beside it';

function withoutFile(path: string, note: LogNote | undefined): FoundLog {
  if (note === undefined || (note.reached < 0 && note.before.length === 0)) return NOTHING;
  throw new DamagedStorage(path, `is missing, where data.mdb beside it says that writes are in it`);
}

/** A file that was made, and nothing written to it, may be left where the store itself was not made to its end. */
function ofAnotherStore(path: string, bytes: Buffer): FoundLog {
  if (recordAt(bytes, 0) === undefined) return NOTHING;
  throw new DamagedStorage(path, 'has writes of a store that data.mdb beside it is not');
}

const roundOf = (bytes: Buffer, { body }: FoundRecord): Buffer => bytes.subarray(body + Part.round, body + Part.round + ROUND_BYTES);

class Reading {
  readonly #path: string;
  readonly #bytes: Buffer;
  readonly #note: LogNote;

  constructor(path: string, bytes: Buffer, note: LogNote) {
    this.#path = path;
    this.#bytes = bytes;
    this.#note = note;
  }

  found(revision: number): FoundLog {
    if (!this.#hasBegun()) return OF_BEFORE;
    const commits: Commit[] = [];
    let end = 0;
    let last = -1;
    for (let record = this.#own(0); record !== undefined; record = this.#own(end)) {
      end = record.end;
      last = record.revision;
      if (record.rows < record.end && record.revision > revision) commits.push(this.#commit(record, revision + commits.length + 1));
    }
    const isTorn = this.#isTorn(end, last);
    if (last < this.#note.reached)
      throw this.#damage(`ends with revision ${last}, where data.mdb beside it says that it reached ${this.#note.reached}`);
    return { commits, end, isTorn, isOfBefore: false };
  }

  /** Whether the file has anything of LMDB's round. @throws DamagedStorage where it has another one instead */
  #hasBegun(): boolean {
    const first = recordAt(this.#bytes, 0);
    if (first === undefined || this.#isOf(first, this.#note.round)) return true;
    if (this.#note.reached < 0 && this.#isOf(first, this.#note.before)) return false;
    throw this.#damage(OF_ANOTHER_TIME);
  }

  #own(position: number): FoundRecord | undefined {
    const record = recordAt(this.#bytes, position);
    return record !== undefined && this.#isOf(record, this.#note.round) ? record : undefined;
  }

  #isOf(record: FoundRecord, round: Buffer): boolean {
    return roundOf(this.#bytes, record).equals(round);
  }

  #commit(record: FoundRecord, expected: number): Commit {
    const { revision, generation } = record;
    if (revision !== expected || generation !== this.#note.generation) {
      throw this.#damage(
        `goes on with revision ${revision} from another state than data.mdb beside it has, which ends with ${expected - 1}`,
      );
    }
    return { revision, rows: rowsOf(this.#bytes.subarray(record.rows, record.end)) };
  }

  /**
   * Looks for whole records behind the first place that has none. One that was flushed together with what is missing there tells nothing, for a flush
   * that is cut short may leave any part of itself. One that was flushed later tells that what is missing had been on the disk.
   * @throws DamagedStorage for that
   */
  #isTorn(end: number, last: number): boolean {
    const { round } = this.#note;
    let isTorn = this.#bytes.subarray(end, end + HEAD).some((byte) => byte !== 0);
    for (let at = this.#bytes.indexOf(round, end); at >= 0; at = this.#bytes.indexOf(round, at + 1)) {
      const record = recordAt(this.#bytes, at - Part.round - HEAD);
      if (record === undefined) continue;
      isTorn = true;
      if (record.flushed <= end) continue;
      const after = last < 0 ? 'at its start' : `behind revision ${last}`;
      throw this.#damage(
        `is damaged at byte ${end}, ${after}: a record is not what was written, and whole ones follow, as of revision ${record.revision}`,
      );
    }
    return isTorn;
  }

  #damage(found: string): DamagedStorage {
    return new DamagedStorage(this.#path, found);
  }
}

/** A whole record, with its positions in the file. */
export interface FoundRecord {
  readonly body: number;
  readonly rows: number;
  readonly end: number;
  readonly flushed: number;
  readonly generation: number;
  readonly revision: number;
}

/** @returns undefined where no whole record begins */
export function recordAt(bytes: Buffer, position: number): FoundRecord | undefined {
  const body = position + HEAD;
  if (position < 0 || body > bytes.length) return undefined;
  const length = bytes.readUInt32BE(position);
  const end = body + length;
  if (length < Part.rows || length > MOST_RECORD_BYTES || end > bytes.length) return undefined;
  if (crc32(bytes.subarray(body, end)) !== bytes.readUInt32BE(position + 4)) return undefined;
  return {
    body,
    rows: body + Part.rows,
    end,
    flushed: bytes.readUInt32BE(body + Part.flushed),
    generation: bytes.readUInt32BE(body + Part.generation),
    revision: readRevision(bytes, body + Part.revision),
  };
}

/** @param bytes of a whole record's rows */
export function rowsOf(bytes: Buffer): LoggedRow[] {
  const rows: LoggedRow[] = [];
  for (let at = 0; at < bytes.length; ) {
    const key = at + ROW_HEAD;
    const value = key + bytes.readUInt16BE(at + 2);
    const end = value + bytes.readUInt32BE(at + 4);
    rows.push({
      table: bytes[at] as number,
      deed: bytes[at + 1] as LoggedRow['deed'],
      key: bytes.subarray(key, value),
      value: bytes.subarray(value, end),
    });
    at = end;
  }
  return rows;
}
