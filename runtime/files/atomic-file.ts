import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { systemReason } from './flag-file.ts';

/** A file that could not be written, by its name and for the system's reason. */
export class FileUnwritable extends Error {
  override readonly name = 'FileUnwritable';
  /** its disk is full, or fails: it may pass */
  readonly isOfDisk: boolean;

  constructor(file: string, cause: unknown) {
    super(`${file} cannot be written: ${systemReason(cause)}`, { cause });
    this.isOfDisk = OF_DISK.has(-((cause as NodeJS.ErrnoException).errno ?? 0));
  }
}

const { EDQUOT, EFBIG, EIO, ENOSPC } = constants.errno;
const OF_DISK = new Set<number>([EDQUOT, EFBIG, EIO, ENOSPC]);

/** Replaces a file as a whole: readers see the old text or the new one, never a part. @throws FileUnwritable */
export function writeFileAtomically(file: string, text: string, mode: number): void {
  const temporary = `${file}.${randomUUID()}`;
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx' });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new FileUnwritable(file, error);
  }
}
