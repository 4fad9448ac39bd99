/**
 * LMDB's file of locks. It keeps nothing that anybody needs, but LMDB crashes where it cannot open it, and leaves in it which transaction was the last one:
 * data that is older than that was put in the place of what the last process wrote.
 */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { beginningOf, reasonOf, statusOf } from './regular-file.ts';

const LOCK = 'lock.mdb';
const MAGIC = 0xbeefc0de;
const At = { magic: 0, transaction: 8 } as const;
const BYTES = 16;

const lockFile = (directory: string): string => join(directory, LOCK);

/**
 * Checks that LMDB can use the lock file. It must be called before LMDB opens the store.
 * @throws Error that names the file, or the folder in which it would be made
 */
export function assertLockFile(directory: string): void {
  const file = lockFile(directory);
  const status = statusOf(file);
  try {
    if (status?.isFile() === false) throw new Error('it is not a regular file');
    accessSync(status === undefined ? directory : file, constants.R_OK | constants.W_OK);
  } catch (error) {
    const what = status === undefined ? 'made' : 'used';
    const remedy = status === undefined ? '' : '; it keeps nothing: where no server has the store, it may be removed';
    throw new Error(`${file} cannot be ${what}: ${reasonOf(error)}${remedy}`, { cause: error });
  }
}

/** @returns the last transaction that a process has made which had the store open; undefined: that is not known */
export function lastTransaction(directory: string): number | undefined {
  try {
    const bytes = beginningOf(lockFile(directory), BYTES)?.bytes;
    if (bytes?.length !== BYTES || bytes.readUInt32LE(At.magic) !== MAGIC) return undefined;
    return Number(bytes.readBigUInt64LE(At.transaction));
  } catch {
    return undefined;
  }
}

/**
 * LMDB notes a transaction there once its head is on the disk, so no crash leaves a later one than the data has.
 * @param newest transaction of the data, which was read after `last`
 * @returns what is wrong with the data; undefined: nothing is known to be
 */
export function olderThanLock(newest: number, last: number | undefined): string | undefined {
  const older = endsBefore(newest, last);
  if (older === undefined) return undefined;
  return `${older}: it is an older copy, or that of another store (where it is what is wanted, with the other files of its moment, remove ${LOCK})`;
}

/** As `olderThanLock`, without what may have become of the data: its newest trees may be damaged. */
export function endsBefore(newest: number, last: number | undefined): string | undefined {
  if (last === undefined || last <= newest) return undefined;
  return `ends with transaction ${newest}, where ${LOCK} beside it is of a store that went on to ${last}`;
}
