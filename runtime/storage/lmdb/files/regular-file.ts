/** Looks at files of a store that may be something else by now: what the system says of them, by their names, and never a wait for a pipe. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

const NOT_WAITING = constants.O_NONBLOCK ?? 0;

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  ELOOP: 'its symbolic links lead in a circle',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a folder',
  EIO: 'its disk fails',
  ENOSPC: 'no room is left on its disk',
  EDQUOT: 'no room is left in the quota',
  EFBIG: 'it may not become so long',
};

/** What the system says of a file, with its code and without its path. */
export function reasonOf(error: unknown): string {
  const { code = '', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  const reason = REASONS[code];
  return reason === undefined ? message : `${reason} (${code})`;
}

/** A file could not be written, which may be another one than the one that is read meanwhile. */
export class UnwritableFile extends Error {
  override readonly name = 'UnwritableFile';
  constructor(file: string, error: unknown) {
    super(`${file} cannot be written: ${reasonOf(error)}`, { cause: error });
  }
}

export const unreadable = (file: string, error: unknown): Error =>
  new Error(`${file} cannot be read: ${reasonOf(error)}`, { cause: error });

/** What may not be looked at is not taken for missing. @returns undefined where there is nothing. @throws Error that names the file */
export function statusOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw unreadable(file, error);
  }
}

export interface Beginning {
  /** the first bytes of the file: as many as were requested, or all */
  readonly bytes: Buffer;
  /** the length of the file */
  readonly size: number;
}

/** Reads the beginning of a file. @returns undefined if it is not a regular file. @throws Error of the system */
export function beginningOf(file: string, most: number): Beginning | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | NOT_WAITING);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(most, status.size));
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, length);
    return { bytes: bytes.subarray(0, length), size: status.size };
  } finally {
    closeSync(descriptor);
  }
}
