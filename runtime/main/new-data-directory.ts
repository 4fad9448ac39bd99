/** Data directories that commands make, and files that they make in the same way. */
import type { FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { DirectoryInUse, lockDirectory } from '../server/directory-lock.ts';
import { createWhole, createWholeFile } from '../storage/lmdb/files/directory.ts';

/**
 * Makes a data directory that is there as a whole or not at all. It is locked as that of a server until it is, so that of several commands that make
 * the same one all but one fail, and what one that was killed has left is told from what another is writing.
 * @param fill writes files and folders to the directory that it is given
 * @throws Error where there is something already, or another process makes it; and what `fill` throws
 */
export const createDataDirectory = (to: string, fill: (directory: string) => Promise<void>): Promise<void> =>
  createWhole(to, fill, (part) => lockNew(part, to));

/** The same of a file, for its owner alone. @param write writes it. @returns what `write` does */
export const createFile = <T>(to: string, write: (output: FileHandle) => Promise<T>): Promise<T> =>
  createWholeFile(to, write, (part) => lockNew(part, to));

/** Whether a new directory would be in another one, of which it is made, or be that one. */
export function isWithin(to: string, directory: string): boolean {
  const way = relative(resolve(directory), resolve(to));
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function lockNew(part: string, to: string): () => void {
  try {
    return lockDirectory(part);
  } catch (error) {
    if (error instanceof DirectoryInUse) throw new Error(`another process is making ${to}`, { cause: error });
    throw error;
  }
}
