/** Says which flags have named a file that is wrong: whoever reads the message may have put them into a unit or a manifest long ago. */
import { FileError } from './file-error.ts';

/**
 * @param values of all flags, by their names
 * @returns the error with the flags in front of its message; what it is itself where no flag has named the file, and where it is about none
 */
export function namingFlags(error: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof FileError)) return error;
  // a line or a part of the file may follow
  const isIts = (path: unknown): boolean => path !== '' && (error.source === path || error.source.startsWith(`${path}:`));
  const names = Object.keys(values).filter((name) => [values[name]].flat().some(isIts));
  if (names.length === 0) return error;
  return new Error(`${names.map((name) => `--${name}`).join(', ')}: ${error.message}`, { cause: error });
}
