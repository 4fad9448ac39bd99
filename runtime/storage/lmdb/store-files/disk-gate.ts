/**
 * Keeps LMDB from a disk that would not take what it writes. `lmdb` 3.5.6 puts the message of a write that failed into 100 bytes of memory, which is too few
 * for it as soon as the file has some megabytes: the process would crash, or go on with memory that is not what it was.
 */
import { closeSync, openSync, rmSync, type Stats, statfsSync, statSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { dataFile } from './store-files.ts';

const { EDQUOT, EFBIG, EIO, ENOENT, ENOSPC, EROFS, ESTALE } = constants.errno;

/** Bytes that are free at least when LMDB writes: more than one transaction writes. */
export const LEAST_FREE = 16 * 1024 * 1024;
/** Bytes that no disk takes within `ROOMY` milliseconds: where so many are free, it is not asked again for as long. */
const MUCH_FREE = 4 * 1024 * 1024 * 1024;
const ROOMY = 100;
/** Milliseconds for which the data is taken to have its name still: who takes the name away loses all that was written before, too. */
const NAMED = 100;
/**
 * Milliseconds for which a disk with so much room is taken to take more, once it has taken something: else transactions that follow one another at once would
 * each pay for that.
 */
const TAKING = 10;
/** What is tried each time. */
const BLOCK = Buffer.alloc(4_096, 1);
/** Bytes that are tried when there is doubt: what a transaction writes, about. */
const TRIED = Buffer.alloc(1024 * 1024, 1);

const OR_NONE = { throwIfNoEntry: false, bigint: false } as const;
const IS_PRIVILEGED = process.getuid?.() === 0;

export class DiskGate {
  readonly #directory: string;
  readonly #dataFile: string;
  /** the file that LMDB has opened; undefined if there was none */
  readonly #data: Stats | undefined;
  /** a file without a name, which disappears with the process */
  #file: number | undefined;
  #isDoubtful = false;
  /** the time, by the clock, until which the disk is known to have space */
  #roomyUntil = Number.NEGATIVE_INFINITY;
  /** the time until which the disk is known to accept writes */
  #takingUntil = Number.NEGATIVE_INFINITY;
  /** the time until which the file of the data is known to have its name */
  #namedUntil = Number.NEGATIVE_INFINITY;
  readonly #now: () => number;

  /** It must be made when LMDB has opened the data. @param now returns milliseconds of a clock that never goes back */
  constructor(directory: string, now: () => number = () => performance.now()) {
    this.#now = now;
    this.#directory = directory;
    this.#dataFile = dataFile(directory);
    this.#data = statSync(this.#dataFile, OR_NONE);
  }

  /** Whether the last transaction has failed. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /**
   * Checks that the disk can take a transaction. It must be called before each one, and takes some microseconds as long as the last one has succeeded.
   * @throws Error with a code of the system, as those of LMDB
   */
  assertOpen(): void {
    const code = failureOf(() => this.#try()) ?? (this.#isDoubtful ? triedDisk(this.#directory) : undefined);
    if (code !== undefined) throw Object.assign(new Error(MESSAGES[code] ?? 'it takes no writes'), { code });
  }

  /** Notes the outcome of a transaction. It must be called after each one. */
  passed(succeeded: boolean): void {
    this.#isDoubtful = !succeeded;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** Whether the disk has room, and takes anything at all. @throws Error of the system */
  #try(): void {
    const now = this.#now();
    if (now >= this.#namedUntil) this.#assertNamed(now);
    if (this.#isFull(now)) throw Object.assign(new Error('too little is free'), { errno: -ENOSPC });
    if (!this.#isDoubtful && now < this.#takingUntil && now < this.#roomyUntil) return;
    this.#file ??= nameless(join(this.#directory, `gate.${process.pid}`));
    writeSync(this.#file, BLOCK, 0, BLOCK.length, 0);
    this.#takingUntil = now + TAKING;
  }

  /** What is written to a file that has lost its name is gone with the process, and nobody who opens the store later knows of it. */
  #assertNamed(now: number): void {
    const named = statSync(this.#dataFile, OR_NONE);
    if (named === undefined) throw Object.assign(new Error('it is gone'), { errno: -ENOENT });
    if (named.ino !== this.#data?.ino || named.dev !== this.#data.dev)
      throw Object.assign(new Error('it is another one'), { errno: -ESTALE });
    this.#namedUntil = now + NAMED;
  }

  #isFull(now: number): boolean {
    if (now < this.#roomyUntil) return false;
    const { bsize, blocks, bfree, bavail } = statfsSync(this.#directory);
    // one that counts none has no limit, or does not tell
    const free = blocks > 0 ? (IS_PRIVILEGED ? bfree : bavail) * bsize : Number.POSITIVE_INFINITY;
    if (free >= MUCH_FREE) this.#roomyUntil = now + ROOMY;
    return free < LEAST_FREE;
  }
}

/** LMDB's, and those of a file that is not the one that LMDB has opened. */
const MESSAGES: Readonly<Record<number, string>> = {
  [EDQUOT]: 'Disk quota exceeded',
  [EFBIG]: 'File too large',
  [EIO]: 'Input/output error',
  [ENOENT]: 'it was removed while it is open',
  [ENOSPC]: 'No space left on device',
  [EROFS]: 'Read-only file system',
  [ESTALE]: 'another file has its name than the one that is open',
};

/** Tries whether a file of the data's length can grow. @returns the number of the system's error; undefined: it can */
export function triedDisk(directory: string): number | undefined {
  return failureOf(() => {
    const file = nameless(join(directory, `room.${process.pid}`));
    try {
      const end = statSync(dataFile(directory)).size;
      for (let at = 0; at < TRIED.length; ) at += writeSync(file, TRIED, at, TRIED.length - at, end + at);
    } finally {
      closeSync(file);
    }
  });
}

function nameless(path: string): number {
  const file = openSync(path, 'w', 0o600);
  rmSync(path);
  return file;
}

/** @returns the number of the system's error */
function failureOf(attempt: () => void): number | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    // not by its name: Node has none for a quota that is used up
    return -((error as NodeJS.ErrnoException).errno ?? -EIO);
  }
}
