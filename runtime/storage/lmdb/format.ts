import type { FormatRecord } from './tables.ts';

/** Counts up when a program can no longer read what the one before it wrote. */
const FORMAT_VERSION = 6;

/** The directory was written by another format or for another dialect. */
export class IncompatibleStorage extends Error {
  override readonly name = 'IncompatibleStorage';
}

/** Writes what this program is into a new file; in one that exists, checks it. @throws IncompatibleStorage */
export function checkFormat(record: FormatRecord, directory: string, dialect: string): void {
  const text = record.get();
  const current = JSON.stringify({ format: FORMAT_VERSION, dialect });
  if (text === undefined) {
    record.put(current);
    return;
  }
  const found = JSON.parse(text) as { format: number; dialect: string };
  if (found.format !== FORMAT_VERSION) {
    throw new IncompatibleStorage(`${directory} has storage format ${found.format}; this program reads format ${FORMAT_VERSION}`);
  }
  if (found.dialect !== dialect) {
    throw new IncompatibleStorage(
      `${directory} holds objects of the dialect "${found.dialect}" and cannot be served as "${dialect}": use another directory`,
    );
  }
}
