/** Files that have a name only while they are made, so that they go with the process that has them open. */
import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^spool-[0-9a-f]{16}$/;

/** @returns a new file, to be written and read. @throws Error of the system */
export async function openSpoolFile(directory: string): Promise<FileHandle> {
  const name = join(directory, `spool-${randomBytes(8).toString('hex')}`);
  const file = await open(name, 'wx+', 0o600);
  try {
    // who removes what is left by others may have been faster
    await rm(name, { force: true });
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

export const isSpoolFile = (name: string): boolean => NAME.test(name);

/** Removes those that a process left whose end fell between making one and taking its name. Those that are in use go on. @throws Error of the system */
export function removeLeftSpoolFiles(directory: string): void {
  for (const name of readdirSync(directory)) if (isSpoolFile(name)) rmSync(join(directory, name), { force: true });
}
