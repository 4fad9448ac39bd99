/** Files that the server has written itself, and reads again. */
import { readFileSync } from 'node:fs';
import { systemReason } from './flag-file.ts';

/** The system names no file where a disk cannot read it. @returns the text. @throws Error that names the file */
export function readOwnFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${systemReason(error)}`, { cause: error });
  }
}
