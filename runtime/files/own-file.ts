/** Files that the server has written itself, and reads again. */
import { readRegularFile } from './regular-file.ts';
import { systemReason } from './system-reason.ts';

/** Bytes, far more than certificates and keys have. */
const MOST_BYTES = 1024 * 1024;

/** The system names no file where a disk cannot read it. @returns the text. @throws Error that names the file */
export function readOwnFile(file: string): string {
  try {
    return readRegularFile(file, MOST_BYTES);
  } catch (error) {
    throw new Error(`${file} cannot be read: ${systemReason(error)}`, { cause: error });
  }
}
