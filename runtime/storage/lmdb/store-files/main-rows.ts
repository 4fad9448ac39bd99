/** What LMDB's file says of the store as a whole, read without LMDB. */
import { type State, stateValue } from '../codecs/codecs.ts';
import { type Head, newestHead } from '../pages/heads.ts';
import { BadPage, PageFile } from '../pages/page-file.ts';
import { Tree } from '../pages/tree.ts';
import { decodeNote, type LogNote } from '../write-ahead-log/log-note.ts';

/** What the main tree has besides the other trees. Each is undefined where it is not there, or cannot be read. */
export interface MainRows {
  readonly state: State | undefined;
  /** the record of the format as JSON; undefined if there is none */
  readonly format: string | undefined;
  readonly terms: string | undefined;
  readonly note: LogNote | undefined;
}

export function mainRows(file: PageFile, head: Head): MainRows {
  const main = new Tree(file, head.main);
  const read = <T>(key: string, decode: (bytes: Buffer) => T): T | undefined => {
    try {
      const bytes = main.get(Buffer.from(key));
      return bytes === undefined ? undefined : decode(bytes);
    } catch {
      return undefined;
    }
  };
  return {
    state: read('state', stateValue.decode),
    format: read('format', String),
    terms: read('terms', String),
    note: read('round', decodeNote),
  };
}

/** The same of a file that nobody has open; nothing where it cannot be read. @throws Error of the file system */
export function mainRowsOf(path: string): Partial<MainRows> {
  const file = new PageFile(path);
  try {
    const head = newestHead(file);
    return typeof head === 'string' ? {} : mainRows(file, head);
  } catch (error) {
    if (error instanceof BadPage) return {};
    throw error;
  } finally {
    file.close();
  }
}
