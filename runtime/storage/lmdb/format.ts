import { DamagedStorage } from './files/damage.ts';
import { dataFile } from './store-files/store-files.ts';
import type { FormatRecord } from './tables/environment.ts';

/** Counts up when a program can no longer read what the one before it wrote. */
const FORMAT_VERSION = 6;

/** What a store is, as it says itself. */
export interface Format {
  readonly format: number;
  readonly dialect: string;
}

/** @returns undefined where the text is none */
export function readFormat(text: string): Format | undefined {
  try {
    const { format, dialect } = JSON.parse(text) as Format;
    return Number.isSafeInteger(format) && typeof dialect === 'string' ? { format, dialect } : undefined;
  } catch {
    return undefined;
  }
}

/** @throws IncompatibleStorage where this program cannot read it */
export function assertFormat({ format }: Format, directory: string): void {
  if (format !== FORMAT_VERSION)
    throw new IncompatibleStorage(`${directory} has storage format ${format}; this program reads format ${FORMAT_VERSION}`);
}

/** The directory was written by another format or for another dialect. */
export class IncompatibleStorage extends Error {
  override readonly name = 'IncompatibleStorage';
}

/** Writes what this program is into a new file; in one that exists, checks it. @throws IncompatibleStorage */
export function checkFormat(record: FormatRecord, directory: string, dialect: string): void {
  const text = record.get();
  if (text === undefined) return record.put(JSON.stringify({ format: FORMAT_VERSION, dialect }));
  const found = readFormat(text);
  if (found === undefined) throw new DamagedStorage(dataFile(directory), `is damaged: it says ${JSON.stringify(text)} of its format`);
  assertFormat(found, directory);
  if (found.dialect !== dialect) {
    throw new IncompatibleStorage(
      `${directory} holds objects of the dialect "${found.dialect}" and cannot be served as "${dialect}": use another directory`,
    );
  }
}
