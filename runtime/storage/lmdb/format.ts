import type { FormatRecord } from './tables.ts';

/** Counts up when a program can no longer read what the one before it wrote. */
const FORMAT_VERSION = 3;
/** Differs in having no write-ahead log, which a program of that time would not read. */
const WITHOUT_LOG = 2;

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
  if (found.format !== FORMAT_VERSION && found.format !== WITHOUT_LOG) {
    throw new IncompatibleStorage(`${directory} has storage format ${found.format}; this program reads format ${FORMAT_VERSION}`);
  }
  if (found.dialect !== dialect) {
    throw new IncompatibleStorage(
      `${directory} holds objects of the dialect "${found.dialect}" and cannot be served as "${dialect}": use another directory`,
    );
  }
  if (text !== current) record.put(current);
}
