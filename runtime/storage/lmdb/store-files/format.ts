import { DamagedStorage } from '../files/damage.ts';
import { dataFile } from './store-files.ts';

/** Counts up when a program can no longer read what the one before it wrote. */
const FORMAT_VERSION = 6;

/** What a store is, as it says itself. */
export interface Format {
  readonly format: number;
  readonly dialect: string;
}

/** The place in the main database for one small text, which is checked before anything else is read. */
export interface FormatRecord {
  get(): string | undefined;
  put(text: string): void;
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

/** @param what has the format, for people. @throws IncompatibleStorage where this program cannot read it */
export function assertFormat({ format }: Format, what: string): void {
  if (format === FORMAT_VERSION) return;
  const writer = format > FORMAT_VERSION ? 'a later release' : 'an earlier release';
  throw new IncompatibleStorage(
    `${what} has storage format ${format}; this program reads format ${FORMAT_VERSION}: ${writer} has written it. Use that release, or restore a snapshot that was saved by this one`,
  );
}

/** The directory was written by another format or for another dialect. */
export class IncompatibleStorage extends Error {
  override readonly name = 'IncompatibleStorage';
}

/** Writes what this program is into a new file; in one that exists, checks it. @throws IncompatibleStorage, DamagedStorage */
export function checkFormat(record: FormatRecord, directory: string, dialect: string): void {
  const text = record.get();
  if (text === undefined) return record.put(JSON.stringify({ format: FORMAT_VERSION, dialect }));
  assertOwnFormat(text, directory, dialect);
}

/** @param text that the store says. @throws IncompatibleStorage, DamagedStorage */
export function assertOwnFormat(text: string, directory: string, dialect: string): void {
  const found = formatIn(text, directory);
  assertFormat(found, directory);
  if (found.dialect !== dialect) {
    throw new IncompatibleStorage(
      `${directory} holds objects of the dialect "${found.dialect}" and cannot be served as "${dialect}": use another directory`,
    );
  }
}

/** @throws DamagedStorage */
function formatIn(text: string, directory: string): Format {
  const found = readFormat(text);
  if (found === undefined) throw new DamagedStorage(dataFile(directory), `is damaged: ${noFormat(text)}`);
  return found;
}

/** What is wrong with the data of a store whose format cannot be read. */
export const noFormat = (text: string): string => `it says ${JSON.stringify(text)} of its format`;
