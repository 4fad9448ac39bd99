import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { systemReason } from './system-reason.ts';

/** A file could not be written. The message has its name and the reason of the system. */
export class FileUnwritable extends Error {
  override readonly name = 'FileUnwritable';
  /** whether its disk is full or fails, which may pass */
  readonly isOfDisk: boolean;

  constructor(file: string, cause: unknown) {
    super(`${file} cannot be written: ${systemReason(cause)}`, { cause });
    this.isOfDisk = OF_DISK.has(-((cause as NodeJS.ErrnoException).errno ?? 0));
  }
}

const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno;
const OF_DISK = new Set<number>([EDQUOT, EFBIG, EIO, ENOSPC]);

/** Replaces a file as a whole: readers see the old text or the new one, never a part, and who reads after a power failure sees the new one. @throws FileUnwritable */
export function writeFileAtomically(file: string, text: string, mode: number): void {
  const temporary = `${file}.${randomUUID()}`;
  try {
    withDescriptor(openSync(temporary, 'wx', mode), (descriptor) => {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    });
    renameSync(temporary, file);
    withDescriptor(openSync(dirname(file), 'r'), fsyncSync);
  } catch (error) {
    remove(temporary);
    throw new FileUnwritable(file, error);
  }
}

function withDescriptor(descriptor: number, use: (descriptor: number) => void): void {
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A folder that may not be written to may not be looked into either: the first error says what is wrong. */
function remove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** Makes a folder for its owner alone, where it is missing. @throws FileUnwritable */
export function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new FileUnwritable(folder, error);
  }
}
