/** The files of a store besides what is in them: which must be there, and whether the last process that had them closed them. */
import { statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedStorage } from './damage.ts';
import { writeWhole } from './directory.ts';
import { assertLockFile, lastTransaction, olderThanLock } from './lock-file.ts';
import { type Head, newestHead, wrongMark } from './pages/heads.ts';
import { BadPage, PageFile } from './pages/page-file.ts';
import { beginningOf, statusOf } from './regular-file.ts';

const DATA = 'data.mdb';
/** Says that the store was made: from then on its data is there. */
const MADE = 'store.json';
/** Says what the data was when it was closed; absent while it is open, and after a crash. */
const CLOSED = 'closed.json';
/** What is there only where the data was there before it. */
const LOG = 'ahead.log';
const FOLLOWERS: readonly string[] = [LOG, MADE];

export const dataFile = (directory: string): string => join(directory, DATA);
export const logFile = (directory: string): string => join(directory, LOG);

/**
 * To be called before LMDB opens the store, which makes what is missing.
 * @throws DamagedStorage where the data is missing that was there before, or is none
 */
export function assertFiles(directory: string): void {
  const file = dataFile(directory);
  const missing = missingData(directory);
  if (missing !== undefined) throw new DamagedStorage(file, missing);
  if (sizeOf(file) > 0) assertHeads(file);
}

/** @returns what is wrong where the data is not there, and was; undefined: it is there, or never was */
export function missingData(directory: string): string | undefined {
  const file = dataFile(directory);
  // looked for first: another process that makes the store now makes them after the data
  const follower = FOLLOWERS.find((name) => statusOf(join(directory, name)) !== undefined);
  if (follower === undefined || sizeOf(file) > 0) return undefined;
  return `is ${missingOrEmpty(file)}, where ${follower} beside it is of a store`;
}

const missingOrEmpty = (file: string): string => (statusOf(file) === undefined ? 'missing' : 'empty');

/** Whether there is any data. */
export const hasData = (directory: string): boolean => sizeOf(dataFile(directory)) > 0;

function assertHeads(file: string): void {
  const wrong = onPages(file, wrongMark);
  if (wrong !== undefined) throw new DamagedStorage(file, `is damaged: ${wrong}`);
}

/** @throws DamagedStorage where a page cannot be read */
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

/** To be called once LMDB has made the data, so that it is there after a power failure. */
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

const LOOKS = 5;

/** To be called when LMDB has closed the data. What cannot be noted costs the next start a moment. */
export function noteClosed(directory: string): void {
  try {
    writeFileSync(join(directory, CLOSED), stampOf(directory), { mode: 0o600 });
  } catch {
    // on a full disk, for one
  }
}

/** To be called before anything is written to the data. */
export function noteOpened(directory: string): void {
  try {
    unlinkSync(join(directory, CLOSED));
  } catch {
    // what is written to the data makes it untrue
  }
}

function isAsClosed(directory: string): boolean {
  try {
    return beginningOf(join(directory, CLOSED), MOST_OF_STAMP)?.bytes.toString() === stampOf(directory);
  } catch {
    return false;
  }
}

const MOST_OF_STAMP = 200;

function stampOf(directory: string): string {
  const { size, mtimeMs } = statSync(dataFile(directory));
  // not finer, for who copies a folder with its times
  return `${JSON.stringify({ size, modified: Math.floor(mtimeMs) })}\n`;
}

const sizeOf = (file: string): number => statusOf(file)?.size ?? 0;
