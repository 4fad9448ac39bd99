/** Checks the files of a store, apart from their content: which of them must exist, and whether the last process has closed them. */
import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedStorage } from '../files/damage.ts';
import { writeWhole } from '../files/directory.ts';
import { assertLockFile, lastTransaction, olderThanLock } from '../files/lock-file.ts';
import { beginningOf, statusOf } from '../files/regular-file.ts';
import { type Head, newestHead, wrongMark } from '../pages/heads.ts';
import { BadPage, PageFile } from '../pages/page-file.ts';

const DATA = 'data.mdb';
/** The file that tells that the store was made, so that its data must exist from then on. */
const MADE = 'store.json';
/** The file with a stamp of the data when it was closed; it does not exist while the data is open, and after a crash. */
const CLOSED = 'closed.json';
/** The file of the write-ahead log, which is made only after the data. */
const LOG = 'ahead.log';
const FOLLOWERS: readonly string[] = [LOG, MADE];

export const dataFile = (directory: string): string => join(directory, DATA);
export const logFile = (directory: string): string => join(directory, LOG);

/**
 * Checks the data. It must be called before LMDB opens the store, because LMDB makes files that are missing.
 * @throws DamagedStorage if the data existed before and is missing, or if it is not data of LMDB
 */
export function assertFiles(directory: string): void {
  const file = dataFile(directory);
  const missing = missingData(directory);
  if (missing !== undefined) throw new DamagedStorage(file, missing);
  if (sizeOf(file) > 0) assertHeads(file);
}

/** @returns a text if the data is missing or empty, but existed before; undefined if it exists, or never did */
export function missingData(directory: string): string | undefined {
  const file = dataFile(directory);
  // these are looked for first, because another process that makes the store now makes them after the data
  const follower = FOLLOWERS.find((name) => statusOf(join(directory, name)) !== undefined);
  if (follower === undefined || sizeOf(file) > 0) return undefined;
  return `is ${missingOrEmpty(file)}, where ${follower} beside it is of a store`;
}

const missingOrEmpty = (file: string): string => (statusOf(file) === undefined ? 'missing' : 'empty');

/** Tells whether there is any data. */
export const hasData = (directory: string): boolean => sizeOf(dataFile(directory)) > 0;

function assertHeads(file: string): void {
  const wrong = onPages(file, wrongMark);
  if (wrong !== undefined) throw new DamagedStorage(file, `is damaged: ${wrong}`);
}

/** Calls a function with the pages of a file. @throws DamagedStorage if a page cannot be read */
function onPages<T>(file: string, read: (pages: PageFile) => T): T {
  const pages = new PageFile(file);
  try {
    return read(pages);
  } catch (error) {
    if (error instanceof BadPage) throw new DamagedStorage(file, `is damaged: its ${error.message}`);
    throw error;
  } finally {
    pages.close();
  }
}

/** Notes that LMDB has made the data, so that a later start notices if they are missing. It must be called once the data would survive a power failure. */
export function noteMade(directory: string): void {
  const file = join(directory, MADE);
  if (statusOf(file) === undefined) writeWhole(file, `${JSON.stringify({ holds: [DATA] })}\n`);
}

/** What is known of the data before it is opened. `short`: it ends before what its head counts, which need not be read. */
export type Condition = 'none' | 'closed' | 'changed' | 'short';

/**
 * To be called before the first process opens the store.
 * @throws DamagedStorage as `assertFiles`, and where the heads are not those of the last two transactions
 */
export function conditionOf(directory: string): Condition {
  assertFiles(directory);
  const file = dataFile(directory);
  if (sizeOf(file) === 0) return 'none';
  assertLockFile(directory);
  // looked at first, for a process whose supervisor has ended may write for a moment
  const last = lastTransaction(directory);
  const [newest, pages] = onPages(file, (opened) => [settledHead(opened), opened.count] as const);
  if (typeof newest === 'string') throw new DamagedStorage(file, `is damaged: ${newest}`);
  const older = olderThanLock(newest.transaction, last);
  if (older !== undefined) throw new DamagedStorage(file, older);
  if (pages <= newest.lastPage) return 'short';
  return isAsClosed(directory) ? 'closed' : 'changed';
}

/** A process whose supervisor has ended may write for a moment: what it is writing is no damage. */
function settledHead(pages: PageFile): Head | string {
  let found = newestHead(pages);
  for (let looks = 1; looks < LOOKS && typeof found === 'string'; looks++) found = newestHead(pages);
  return found;
}

/** How often a head that is being written is read. */
const LOOKS = 5;

/** Notes that LMDB has closed the data. If that cannot be written, the next start only takes a little longer. */
export function noteClosed(directory: string): void {
  try {
    writeFileSync(join(directory, CLOSED), stampOf(directory), { mode: 0o600 });
  } catch {
    // for example because the disk is full
  }
}

/** Removes the note that the data is closed. It must be called before anything is written to the data. */
export function noteOpened(directory: string): void {
  try {
    unlinkSync(join(directory, CLOSED));
  } catch {
    // a note that stays is wrong as soon as something is written to the data, because it has a stamp of the data
  }
}

function isAsClosed(directory: string): boolean {
  try {
    return beginningOf(join(directory, CLOSED), MOST_OF_STAMP)?.bytes.toString() === stampOf(directory);
  } catch {
    return false;
  }
}

/** Bytes that the file of a stamp may have: a stamp has fewer than half of them. */
const MOST_OF_STAMP = 200;

function stampOf(directory: string): string {
  const { size, mtimeMs } = statSync(dataFile(directory));
  // whole milliseconds, because programs that copy a folder with its times may keep no more
  return `${JSON.stringify({ size, modified: Math.floor(mtimeMs) })}\n`;
}

const sizeOf = (file: string): number => statusOf(file)?.size ?? 0;
