import { type Entry, OWN_VALUE } from '../../storage.ts';
import { recordValueOffset } from '../codecs/codecs.ts';
import type { Tables } from '../tables/tables.ts';
import { assertReadable, type Version, versionRecord, versions } from './versions.ts';

/** Keys are found this many at a time: no cursor stays open while the caller looks at an entry. */
const PAGE = 256;

/**
 * Entries with `start <= key < end` at `revision`, which was readable when this was called. Values share one buffer.
 * @param limit entries at most
 */
export function* entries(tables: Tables, start: string, end: string, revision: number, limit: number): Generator<Entry, void> {
  const values = new ValueReader(tables);
  let left = limit;
  let from = start;
  while (left > 0) {
    const wanted = Math.min(PAGE, left);
    const page = versionPage(tables, from, end, revision, wanted);
    for (const { key, revision: changed } of page) yield new LazyEntry(key, changed, values);
    const last = page.at(-1);
    if (last === undefined || page.length < wanted) return;
    left -= page.length;
    from = `${last.key}\0`;
  }
}

/** Reads its value when that is first asked for: who knows the revision already reads nothing. */
export class LazyEntry implements Entry {
  readonly key: string;
  readonly revision: number;
  readonly #values: ValueReader;
  #value: Buffer | undefined;

  constructor(key: string, revision: number, values: ValueReader) {
    this.key = key;
    this.revision = revision;
    this.#values = values;
  }

  get value(): Buffer {
    this.#value ??= this.#values.read(this.key, this.revision);
    return this.#value;
  }
}

function versionPage(tables: Tables, start: string, end: string, revision: number, limit: number): Version[] {
  return tables.read(() => {
    const state = tables.state();
    assertReadable(state, revision);
    const page: Version[] = [];
    for (const version of versions(tables, state, start, end, revision)) {
      if (page.push(version) === limit) break;
    }
    return page;
  });
}

/** Copies values of the log into a buffer of its own, which each read overwrites; long ones into memory of theirs. */
export class ValueReader {
  readonly #tables: Tables;
  #buffer = Buffer.allocUnsafeSlow(0);

  constructor(tables: Tables) {
    this.#tables = tables;
  }

  /** @throws RevisionCompacted where the record is no more, ValueDamaged */
  read(key: string, revision: number): Buffer {
    const recent = this.#tables.recent.get(revision);
    if (recent !== undefined) return this.take(recent);
    return this.#tables.read(() => this.take(versionRecord(this.#tables, key, revision)));
  }

  /** @param record as the log gave it */
  take(record: Buffer): Buffer {
    const offset = recordValueOffset(record);
    const length = record.length - offset;
    if (length > OWN_VALUE) return ownValue(record, offset, length);
    if (length > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(2 * length, 8192));
    record.copy(this.#buffer, 0, offset, record.length);
    return this.#buffer.subarray(0, length);
  }
}

function ownValue(record: Buffer, offset: number, length: number): Buffer {
  const value = Buffer.allocUnsafeSlow(length);
  record.copy(value, 0, offset, record.length);
  return value;
}
