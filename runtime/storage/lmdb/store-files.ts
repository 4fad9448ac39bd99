/** The files of a store besides what is in them: which must be there, and whether the last process that had them closed them. */
import { closeSync, existsSync, openSync, readSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DamagedStorage } from './damage.ts';
import { writeWhole } from './directory.ts';

/**
 * Of a new file. Against pages of 4 KB a single writer's commit is a tenth shorter (fewer levels, so fewer pages to write) and 64 writers
 * get a fifth more; 16 KB gain no more and make commits of few changes heavy. Keys may take 4,026 bytes.
 */
export const PAGE_BYTES = 8192;

const DATA = 'data.mdb';
/** Says that the store was made: from then on its data is there. */
const MADE = 'store.json';
/** Says what the data was when it was closed; absent while it is open, and after a crash. */
const CLOSED = 'closed.json';
/** What is there only where the data was there before it. */
const FOLLOWERS: readonly string[] = ['ahead.log', MADE];

/** Of LMDB's two heads, one of which is written in turn; and where they have what is read here. */
const HEADS = 2;
const MAGIC = { at: 24, value: 0xbeefc0de } as const;
const HEAD_BYTES = 160;
const LAST_PAGE = 144;
const TRANSACTION = 152;

export const dataFile = (directory: string): string => join(directory, DATA);

/**
 * To be called before LMDB opens the store, which makes what is missing.
 * @throws DamagedStorage where the data is missing that was there before, or is none
 */
export function assertFiles(directory: string): void {
  const file = dataFile(directory);
  // looked for first: another process that makes the store now makes them after the data
  const follower = FOLLOWERS.find((name) => existsSync(join(directory, name)));
  const size = sizeOf(file);
  if (size > 0) return void headsOf(file, size);
  if (follower !== undefined)
    throw new DamagedStorage(file, `is ${existsSync(file) ? 'empty' : 'missing'}, where ${follower} beside it is of a store`);
}

/** To be called once LMDB has made the data, so that it is there after a power failure. */
export function noteMade(directory: string): void {
  const file = join(directory, MADE);
  if (!existsSync(file)) writeWhole(file, `${JSON.stringify({ holds: [DATA] })}\n`);
}

interface Head {
  readonly lastPage: number;
  readonly transaction: bigint;
}

function headsOf(file: string, size: number): Head[] {
  if (size < HEADS * PAGE_BYTES) throw new DamagedStorage(file, `has ${size} bytes, where its head alone has ${HEADS * PAGE_BYTES}`);
  const bytes = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(file, 'r');
  try {
    return Array.from({ length: HEADS }, (_, page) => {
      readSync(descriptor, bytes, 0, HEAD_BYTES, page * PAGE_BYTES);
      if (bytes.readUInt32LE(MAGIC.at) !== MAGIC.value)
        throw new DamagedStorage(file, `is damaged: its head ${page + 1} is not what was written`);
      return { lastPage: Number(bytes.readBigUInt64LE(LAST_PAGE)), transaction: bytes.readBigUInt64LE(TRANSACTION) };
    });
  } finally {
    closeSync(descriptor);
  }
}

/** What is known of the data before it is opened. `short`: it ends before what its head counts, which need not be read. */
export type Condition = 'none' | 'closed' | 'changed' | 'short';

/** @throws DamagedStorage as `assertFiles` */
export function conditionOf(directory: string): Condition {
  assertFiles(directory);
  const file = dataFile(directory);
  const size = sizeOf(file);
  if (size === 0) return 'none';
  const newest = headsOf(file, size).reduce((a, b) => (b.transaction > a.transaction ? b : a));
  if (size < (newest.lastPage + 1) * PAGE_BYTES) return 'short';
  return isAsClosed(directory) ? 'closed' : 'changed';
}

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
    const stamp = Buffer.alloc(200);
    const descriptor = openSync(join(directory, CLOSED), 'r');
    try {
      return stamp.toString('utf8', 0, readSync(descriptor, stamp)) === stampOf(directory);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return false;
  }
}

function stampOf(directory: string): string {
  const { size, mtimeMs } = statSync(dataFile(directory));
  // not finer, for who copies a folder with its times
  return `${JSON.stringify({ size, modified: Math.floor(mtimeMs) })}\n`;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
