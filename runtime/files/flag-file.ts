/** Reads the text of a file that a flag names. */
import { readRegularFile } from './regular-file.ts';
import { systemReason } from './system-reason.ts';

/** The most bytes of a file, enough for very many authorities or tokens. */
const MOST_BYTES = 64 * 1024 * 1024;

/** @throws Error that names the flag and the file */
export function readFlagFile(flag: string, file: string): string {
  try {
    return readRegularFile(file, MOST_BYTES);
  } catch (error) {
    throw new Error(`--${flag}: ${file}: ${systemReason(error)}`, { cause: error });
  }
}
