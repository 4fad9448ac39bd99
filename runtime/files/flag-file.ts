/** The text of a file that a flag names. */
import { readFileSync } from 'node:fs';

/** @throws Error that names the flag and the file */
export function readFlagFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`--${flag}: ${file}: ${systemReason(error)}`, { cause: error });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or folder',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is no folder',
  EEXIST: 'it is no folder',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
};

/** What the system says of a path, without the path and the call. */
export function systemReason(error: unknown): string {
  const { code = '', message = String(error) } = error as Partial<NodeJS.ErrnoException>;
  return REASONS[code] ?? message;
}
