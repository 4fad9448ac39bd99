/**
 * One server for each data directory. The lock is the operating system's, so that it ends with the process that has it, however that ends, and no
 * file is ever stale. Node offers none of its own; SQLite has those of every system.
 */
import { accessSync, closeSync, constants, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readOwnFile } from '../files/own-file.ts';
import { NOT_WAITING } from '../files/regular-file.ts';

/** Stays empty: only its locks matter. */
const LOCK = 'server.lock';
/** The id of the process that has the lock, or had it last. */
const OWNER = 'server.pid';
/** Whether a file is one of these. */
export const isOfLock = (name: string): boolean => name === OWNER || name.startsWith(LOCK);

/** The code of SQLite's error if another connection has the lock. */
const BUSY = 5;

/** Our words for errors of SQLite, by their codes. */
const REASONS: Readonly<Record<number, string>> = {
  8: 'it cannot be written',
  10: 'its disk cannot read or write it',
  13: 'no space is left on the disk',
  14: 'it cannot be opened, or not made',
  26: 'it is not what a server makes',
};

/** Another server has the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/** A lock that nobody refers to would be collected, and end. */
const held = new Set<DatabaseSync>();

/**
 * Takes the directory for one server of this process, until the process ends or gives it back. Processes that serve for it (--workers) have no lock of
 * their own.
 * @returns gives it back
 * @throws DirectoryInUse that names the directory and the process, Error that names the lock where it is damaged
 */
export function lockDirectory(directory: string): () => void {
  const file = join(directory, LOCK);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if ((error as { errcode?: number }).errcode !== BUSY)
      throw new Error(
        `the lock ${file} cannot be used: ${reasonOf(error, file)}; it keeps nothing: where no server has the directory, it may be removed`,
        { cause: error },
      );
    throw new DirectoryInUse(`the data directory ${directory} is in use by ${ownerOf(directory)}; another server needs another --data-dir`);
  }
  held.add(database);
  nameOwner(join(directory, OWNER));
  return () => {
    if (held.delete(database)) database.close();
  };
}

/** Milliseconds between two looks at a lock that this process has. */
const LOOK = 2_000;

export interface LockNews {
  /** somebody had removed the lock, and this process has another one */
  retaken(): void;
  /** somebody had removed the lock, and another process has the directory. Nothing is told after this */
  lost(reason: DirectoryInUse): void;
}

/**
 * Looks at intervals whether the lock of this process is still there: who has removed its file, by whatever mistake, lets another server begin.
 * @returns ends that
 */
export function keepLocked(directory: string, news: LockNews, look = LOOK): () => void {
  const file = join(directory, LOCK);
  let own = identityOf(file);
  const timer = setInterval(() => {
    // without the folder there is nothing that another server would have
    if (identityOf(file) === own || identityOf(directory) === undefined) return;
    try {
      lockDirectory(directory);
      own = identityOf(file);
      news.retaken();
    } catch (error) {
      // else it is tried again, such as on a disk that is full
      if (!(error instanceof DirectoryInUse)) return;
      clearInterval(timer);
      news.lost(error);
    }
  }, look).unref();
  return () => clearInterval(timer);
}

/** Tells a file, or a folder, from another one of its name. @returns undefined where there is none, or the disk does not say */
function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** What SQLite makes of an error: its own code in the lower byte, with what it did. */
function reasonOf(error: unknown, file: string): string {
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string };
  if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) return 'it is not a regular file';
  return REASONS[errcode & 0xff] ?? message;
}

/**
 * Takes the directory for who only reads: where nothing can be written to it no server has it.
 * @returns gives it back. @throws as `lockDirectory`
 */
export function lockForReading(directory: string): () => void {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof DirectoryInUse || isWritable(directory)) throw error;
    return () => {};
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Writes the id of the process to a file for people to read. It does not matter if the disk is full, because the lock does not depend on this file. */
function nameOwner(file: string): void {
  try {
    const descriptor = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NOT_WAITING, 0o600);
    try {
      writeSync(descriptor, `${process.pid}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // who asks is told of another process then
  }
}

/** It may have the lock, and not have said who it is yet. */
function ownerOf(directory: string): string {
  try {
    const id = readOwnFile(join(directory, OWNER)).trim();
    return id === '' ? 'another process' : `the process ${id}`;
  } catch {
    return 'another process';
  }
}
