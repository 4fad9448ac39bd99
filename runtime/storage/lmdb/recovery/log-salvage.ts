/** What can be read of a damaged write-ahead log: each record says itself whether it is whole, and of which round it is. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isRecordWhole, readRevision, recordKey, recordOperation } from '../codecs/codecs.ts';
import { DamagedStorage } from '../files/damage.ts';
import { HEAD, Part } from '../write-ahead-log/log-layout.ts';
import { type LogNote, ROUND_BYTES } from '../write-ahead-log/log-note.ts';
import { readLog, recordAt, rowsOf } from '../write-ahead-log/log-reader.ts';
import type { FoundRecord } from './records.ts';

export interface SalvagedLog {
  /** the records of the current round, each revision once */
  readonly records: readonly FoundRecord[];
  /** what is wrong with the file, as texts to print after its name */
  readonly wrong: readonly string[];
  /** the newest revision that the log had, as far as it tells; 0 if it tells none */
  readonly newest: number;
}

const NOTHING: SalvagedLog = { records: [], wrong: [], newest: 0 };
/** The bytes that are left out if the disk cannot read some of them. */
const BLOCK = 4_096;
/** The number of the log among the tables, which write-ahead logs contain. */
const LOG_TABLE = 1;

/**
 * @param note of LMDB; undefined: none can be read
 * @param revision LMDB's newest one
 */
export function salvageLog(path: string, note: LogNote | undefined, revision: number): SalvagedLog {
  if (note?.isOver === true) return NOTHING;
  const wrong = note === undefined ? [] : wrongWith(path, note, revision);
  const bytes = readableBytes(path, wrong);
  if (bytes === undefined) return { ...NOTHING, wrong };
  const all = commitsIn(bytes);
  const newest = all.reduce((most, { revision }) => Math.max(most, revision), 0);
  const round = note?.round ?? all.find(({ revision }) => revision === newest)?.round;
  const own = all.filter((each) => round !== undefined && each.round.equals(round));
  if (own.length === 0 && !isBeforeRound(all, note))
    wrong.push(`has ${all.length} writes up to revision ${newest}, none of which is taken`);
  return { records: own.flatMap(({ records }) => records), wrong, newest: Math.max(newest, note?.reached ?? 0) };
}

/** What keeps a server from starting over it. */
function wrongWith(path: string, note: LogNote, revision: number): string[] {
  try {
    readLog(path, note, revision);
    return [];
  } catch (error) {
    return error instanceof DamagedStorage ? [error.found] : [];
  }
}

interface FoundCommit {
  readonly round: Buffer;
  readonly revision: number;
  readonly records: readonly FoundRecord[];
}

/** Nothing was written yet that LMDB has not. */
const isBeforeRound = (all: readonly FoundCommit[], note: LogNote | undefined): boolean =>
  all.length === 0 || (note !== undefined && note.reached < 0 && all.some(({ round }) => round.equals(note.before)));

/** What the disk cannot read is left out, as zeros. @returns undefined where there is no file */
function readableBytes(path: string, wrong: string[]): Buffer | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') wrong.push(`cannot be read (${code})`);
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(fstatSync(descriptor).size);
    for (let at = 0; at < bytes.length; at += BLOCK) readBlock(descriptor, bytes, at, wrong);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

function readBlock(descriptor: number, bytes: Buffer, at: number, wrong: string[]): void {
  try {
    readSync(descriptor, bytes, at, Math.min(BLOCK, bytes.length - at), at);
  } catch (error) {
    wrong.push(`cannot be read at byte ${at} (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Whole ones, wherever they stand. Values are text, in which none can begin. */
function commitsIn(bytes: Buffer): FoundCommit[] {
  const found: FoundCommit[] = [];
  for (let at = 0; at + HEAD <= bytes.length; at++) {
    const record = recordAt(bytes, at);
    if (record === undefined) continue;
    const round = bytes.subarray(record.body + Part.round, record.body + Part.round + ROUND_BYTES);
    const rows = rowsOf(bytes.subarray(record.rows, record.end));
    const records = rows.filter(({ table }) => table === LOG_TABLE).flatMap(({ key, value }) => recordOf(readRevision(key, 0), value));
    found.push({ round, revision: record.revision, records });
    at = record.end - 1;
  }
  return found;
}

const recordOf = (revision: number, record: Buffer): FoundRecord[] =>
  isRecordWhole(record, revision)
    ? [{ revision, key: recordKey(record), isDeletion: recordOperation(record) === 'delete', place: record }]
    : [];
