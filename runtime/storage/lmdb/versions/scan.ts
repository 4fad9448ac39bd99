import type { Entry, Scan } from '../../storage.ts';
import { recordValueOffset } from '../codecs/codecs.ts';
import type { Tables } from '../tables/tables.ts';
import { assertReadable, versionRecord, versions } from './versions.ts';

/** The entries with `start <= key < end` at `revision`, which was readable when this was made. */
export class RangeScan implements Scan {
  readonly #tables: Tables;
  readonly #end: string;
  readonly #revision: number;
  /** the next key; undefined behind the last one */
  #start: string | undefined;

  constructor(tables: Tables, start: string, end: string, revision: number) {
    this.#tables = tables;
    this.#start = start;
    this.#end = end;
    this.#revision = revision;
  }

  next(visit: (entry: Entry) => boolean): boolean {
    const tables = this.#tables;
    const start = this.#start;
    if (start === undefined) return false;
    return tables.read(() => {
      const state = tables.state();
      assertReadable(state, this.#revision);
      const entry = new ScannedEntry(tables);
      for (const { key, revision } of versions(tables, state, start, this.#end, this.#revision)) {
        entry.set(key, revision);
        if (visit(entry)) continue;
        this.#start = `${key}\0`;
        return true;
      }
      this.#start = undefined;
      return false;
    });
  }
}

/** One entry after the other. Its value stays where `lmdb` has read it. */
export class ScannedEntry implements Entry {
  key = '';
  revision = 0;
  readonly #tables: Tables;
  #value: Buffer | undefined;

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  set(key: string, revision: number): void {
    this.key = key;
    this.revision = revision;
    this.#value = undefined;
  }

  get value(): Buffer {
    this.#value ??= this.#read();
    return this.#value;
  }

  #read(): Buffer {
    const record = versionRecord(this.#tables, this.key, this.revision);
    // the end is named: `lmdb` gives a buffer that is longer than its length says
    return record.subarray(recordValueOffset(record), record.length);
  }
}
