import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { unreadable } from './regular-file.ts';

/** Creates a directory with mode 0700, and what leads there with the usual mode, so that they are there after a power failure. */
export function createDirectory(path: string): void {
  const absolute = resolve(path);
  if (existsSync(absolute)) return;
  const parent = dirname(absolute);
  createParents(parent);
  mkdirSync(absolute, { mode: 0o700, recursive: true });
  syncDirectory(parent);
}

function createParents(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  createParents(parent);
  mkdirSync(path, { recursive: true });
  syncDirectory(parent);
}

/** Takes a directory that is there for one process. @returns gives it back. @throws Error where another one has it */
export type DirectoryLock = (directory: string) => () => void;

/**
 * The place of something that is made. Of several processes that make it at the same time, all but one fail, and none removes what another one is writing.
 */
interface Place {
  readonly path: string;
  readonly lock: DirectoryLock;
}

/**
 * Creates a directory that is there as a whole, after a power failure too, or not at all.
 * @param fill writes files and folders to the directory that it is given
 * @param lock for directories that several processes may create at once
 * @throws Error where there is something already, and what `fill` and `lock` throw
 */
export async function createWhole(
  path: string,
  fill: (directory: string) => Promise<void>,
  lock: DirectoryLock = () => () => {},
): Promise<void> {
  createParents(dirname(resolve(path)));
  await createInside({ path, lock }, async (made) => {
    mkdirSync(made, { mode: 0o700 });
    await fill(made);
    await syncTree(made);
  });
}

/** Does the same for a file that only its owner may read. @returns the result of `write` */
export async function createWholeFile<T>(path: string, write: (output: FileHandle) => Promise<T>, lock: DirectoryLock): Promise<T> {
  return await createInside({ path, lock }, async (made) => {
    await using output = await open(made, 'wx', 0o600);
    const result = await write(output);
    await output.sync();
    return result;
  });
}

/** @param make makes what is to be there, where it is told */
async function createInside<T>({ path, lock }: Place, make: (made: string) => Promise<T>): Promise<T> {
  const absolute = resolve(path);
  assertNothingAt(absolute);
  const part = `${absolute}.part`;
  makePart(part);
  const unlock = lockPart(part, absolute, lock);
  // in a folder of its own: what the lock has is not moved with it
  const made = join(part, 'made');
  let result: T;
  try {
    // who had the lock until now has made it
    assertNothingAt(absolute);
    // what is left of an attempt that ended at once
    await rm(made, { recursive: true, force: true });
    result = await make(made);
    await rename(made, absolute);
  } finally {
    await rm(made, { recursive: true, force: true });
    // another process may have begun there by now
    await rm(part, { recursive: true, force: true }).catch(() => {});
    unlock();
  }
  syncDirectory(dirname(absolute));
  return result;
}

function assertNothingAt(absolute: string): void {
  if (existsSync(absolute)) throw new Error(`${absolute} is there already`);
}

/** Another process may have made it, or one that was killed. */
function makePart(part: string): void {
  try {
    mkdirSync(part, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** A process that has just made it may have removed the folder before it could be locked. */
function lockPart(part: string, absolute: string, lock: DirectoryLock): () => void {
  try {
    return lock(part);
  } catch (error) {
    assertNothingAt(absolute);
    throw error;
  }
}

/** What is no file and no folder is left alone. */
async function syncTree(directory: string): Promise<void> {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await syncTree(path);
    else if (entry.isFile()) syncFile(path);
  }
  syncDirectory(directory);
}

/** Writes a file that is there as a whole, after a power failure too, or not at all; several processes may write the same one at once. */
export function writeWhole(path: string, text: string): void {
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, text, { mode: 0o600 });
  syncFile(part);
  renameSync(part, path);
  syncDirectory(dirname(path));
}

function syncFile(path: string): void {
  // files that are to be read alone can be synchronized as well
  const descriptor = opened(path);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes the names in a directory durable. @throws Error that names it where it cannot be opened */
export const syncDirectory = syncFile;

/** @throws Error that names the file or folder */
function opened(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}
