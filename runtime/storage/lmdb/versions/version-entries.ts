/** Entries of single keys. The functions of this file read one snapshot: call them within `Tables.read`. */
import { type Entry, isKey } from '../../storage.ts';
import { recordValueOffset } from '../codecs/codecs.ts';
import type { Tables } from '../tables/tables.ts';
import { versionAt, versionRecord } from './versions.ts';

/**
 * What `take` makes of the version that a key had at a revision.
 * @param atRevision undefined: now
 * @param take gets the value where LMDB has read it; the bytes are good until the next read
 * @returns undefined where the key had no value
 */
export function entryAt<T>(tables: Tables, key: string, atRevision: number | undefined, take: (entry: Entry) => T): T | undefined {
  const revision = isKey(key) ? versionAt(tables, key, atRevision) : undefined;
  return revision === undefined ? undefined : entryOf(tables, key, revision, take);
}

/** The same for a version that is there. @throws RevisionCompacted where a compaction has taken it since, ValueDamaged */
export function entryOf<T>(tables: Tables, key: string, revision: number, take: (entry: Entry) => T): T {
  return take(entryIn(versionRecord(tables, key, revision), key, revision));
}

/** @param record whose buffer may be longer than its `length`, which LMDB sets: so the end of the value is named */
export const entryIn = (record: Buffer, key: string, revision: number): Entry => ({
  key,
  revision,
  value: record.subarray(recordValueOffset(record), record.length),
});

/** A copy that stays good. */
export const ownEntry = (entry: Entry): Entry => ({ ...entry, value: Buffer.from(entry.value) });
