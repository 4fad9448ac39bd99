import { RevisionCompacted, RevisionInFuture, ValueDamaged } from '../../errors.ts';
import { compareKeys, resourcePrefix } from '../../storage.ts';
import { type Latest, REVISION_END, type State } from '../codecs/codecs.ts';
import type { Row } from '../tables/read-table.ts';
import type { Tables } from '../tables/tables.ts';

/** A key and the revision of its version at a certain time. */
export interface Version {
  readonly key: string;
  readonly revision: number;
}

/** The functions of this file read one snapshot: call them within `Tables.read`. */

/** @throws RevisionCompacted, RevisionInFuture */
export function assertReadable(state: State, revision: number): void {
  if (revision < state.compacted) throw new RevisionCompacted(revision, state.compacted);
  if (revision > state.revision) throw new RevisionInFuture(revision, state.revision);
}

/** @returns the revision of the key's version at `atRevision`; undefined where it had no value. An absent `atRevision` is the present. */
export function versionAt(tables: Tables, key: string, atRevision: number | undefined): number | undefined {
  const living = tables.keys.get(key);
  if (atRevision === undefined) return living?.revision;
  if (living !== undefined) return living.revision <= atRevision ? living.revision : supersededAt(tables, key, atRevision);
  const tombstone = tables.tombstones.get(key);
  return tombstone === undefined || tombstone.revision <= atRevision ? undefined : supersededAt(tables, key, atRevision);
}

/** Returns the revision of the version that a key had at a revision, if its latest version is newer; undefined if it had none, or a deletion. */
function supersededAt(tables: Tables, key: string, atRevision: number): number | undefined {
  const row = tables.history.floor({ text: key, revision: atRevision }, { text: key, revision: 0 });
  return row === undefined || row.value.tombstone ? undefined : row.key.revision;
}

/**
 * The record of a version that was found in the same snapshot, or in an earlier one; good until the next read.
 * @throws RevisionCompacted where a compaction has taken it since, ValueDamaged where it is not what was written
 */
export function versionRecord(tables: Tables, key: string, revision: number): Buffer {
  const record = tables.log.get(revision);
  if (record === undefined) throw missingRecord(tables, key, revision);
  tables.verified.verify(key, revision, record);
  return record;
}

/** Compaction takes away what refers to a record together with it. */
function missingRecord(tables: Tables, key: string, revision: number): Error {
  const isLatest = tables.keys.get(key)?.revision === revision || tables.tombstones.get(key)?.revision === revision;
  const isThere = isLatest || tables.history.get({ text: key, revision }) !== undefined;
  return isThere ? new ValueDamaged(key, revision, 'its record is missing') : new RevisionCompacted(revision, tables.state().compacted);
}

/** Versions of the keys with `start <= key < end` at `atRevision`, in order, as they are in `state`. */
export function* versions(tables: Tables, state: State, start: string, end: string, atRevision: number): Generator<Version, void> {
  if (atRevision >= state.revision) {
    for (const { key, value } of tables.keys.rows(start, end)) yield { key, revision: value.revision };
    return;
  }
  for (const { key, value, living } of latestVersions(tables, start, end)) {
    const revision = value.revision > atRevision ? supersededAt(tables, key, atRevision) : living ? value.revision : undefined;
    if (revision !== undefined) yield { key, revision };
  }
}

interface LatestVersion extends Row<string, Latest> {
  readonly living: boolean;
}

/** Merges living and deleted keys: no key is both. */
function* latestVersions(tables: Tables, start: string, end: string): Generator<LatestVersion, void> {
  const tombstones = tables.tombstones.rows(start, end)[Symbol.iterator]();
  try {
    let deleted = tombstones.next();
    for (const { key, value } of tables.keys.rows(start, end)) {
      for (; deleted.done !== true && compareKeys(deleted.value.key, key) < 0; deleted = tombstones.next()) {
        yield { ...deleted.value, living: false };
      }
      yield { key, value, living: true };
    }
    for (; deleted.done !== true; deleted = tombstones.next()) yield { ...deleted.value, living: false };
  } finally {
    tombstones.return?.();
  }
}

/** Number of keys with `start <= key < end` that had a value at `atRevision`. */
export function countVersions(tables: Tables, state: State, start: string, end: string, atRevision: number): number {
  const now = tables.keys.count(start, end);
  if (atRevision >= state.revision) return now;
  const segment = commonSegment(start, end);
  // whichever has fewer rows to look at
  if (segment !== undefined && state.revision - atRevision < now) return now - growth(tables, segment, start, end, atRevision);
  let count = 0;
  for (const _ of versions(tables, state, start, end, atRevision)) count++;
  return count;
}

/** Returns by how many the number of keys with `start <= key < end` has grown since `atRevision`, which may be negative. */
function growth(tables: Tables, segment: string, start: string, end: string, atRevision: number): number {
  let grown = 0;
  for (const { value } of tables.index.rows({ text: segment, revision: atRevision + 1 }, { text: segment, revision: REVISION_END })) {
    if (value.operation === 'update' || compareKeys(value.key, start) < 0 || compareKeys(value.key, end) >= 0) continue;
    grown += value.operation === 'create' ? 1 : -1;
  }
  return grown;
}

/** The prefix of the resource that all keys of the range are of, if there is one. */
export function commonSegment(start: string, end: string): string | undefined {
  const segment = resourcePrefix(start);
  if (segment === start || end === '' || compareKeys(start, end) >= 0) return undefined;
  // every key of the range starts with `segment/` if the end does not come after all of those; `0` follows the slash
  return compareKeys(end, `${segment}0`) <= 0 ? segment : undefined;
}
