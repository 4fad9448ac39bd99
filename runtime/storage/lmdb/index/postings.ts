/**
 * Which keys carry a term: text that the owner of the store takes out of values, to find them by. A posting stays for as long as some version
 * of its key that can be read carries the term, and may stay longer: whoever looks for values by terms looks at what is found.
 *
 * Postings are written behind the log, in batches, so that no write waits for them; a search looks through the changes since then as well.
 */
import { hash } from 'node:crypto';
import { resourcePrefix, type Terms } from '../../storage.ts';
import { REVISION_END, recordKey, recordOperation, recordPrevious, recordValueOffset, type State } from '../codecs/codecs.ts';
import { HASH_BYTES, type Posting } from '../codecs/posting-key.ts';
import type { Tables } from '../tables/tables.ts';
import type { Version } from '../versions/versions.ts';

/** Terms whose hashes are remembered, and the longest of them: most objects share their labels with others. */
const MAX_REMEMBERED = 4_096;
const MAX_TERM = 200;
const hashes = new Map<string, Buffer>();

export function hashOf(term: string): Buffer {
  const known = hashes.get(term);
  if (known !== undefined) return known;
  // a copy of its own: what is cut off a digest keeps all of it
  const found = Buffer.from(hash('sha1', term, 'buffer').subarray(0, HASH_BYTES));
  if (hashes.size >= MAX_REMEMBERED) hashes.clear();
  if (term.length <= MAX_TERM) hashes.set(term, found);
  return found;
}

/** Above all that can follow a term: no UTF-8 text has such a character. */
const REST_END = '\u{10ffff}\u{10ffff}';

/** A range of the keys of one segment, by the part behind the segment's slash. `end` is exclusive; it is empty if the range has no end. */
export interface RestRange {
  readonly segment: string;
  readonly start: string;
  readonly end: string;
}

/** @returns undefined where not all keys with `start <= key < end` are of one segment and longer than it */
export function restRange(segment: string | undefined, start: string, end: string): RestRange | undefined {
  if (segment === undefined || !start.startsWith(`${segment}/`)) return undefined;
  const from = segment.length + 1;
  return { segment, start: start.slice(from), end: end.startsWith(`${segment}/`) ? end.slice(from) : '' };
}

/** Returns the parts behind the slash of up to `limit` keys that have a term, in order. */
export function postingsOf(tables: Tables, term: Buffer, { segment, start, end }: RestRange, limit: number): string[] {
  const from = { segment, term, rest: start };
  const to = { segment, term, rest: end === '' ? REST_END : end };
  return Array.from(tables.postings.rows(from, to, limit), ({ key }) => key.rest);
}

export function countPostings(tables: Tables, term: Buffer, { segment, start, end }: RestRange): number {
  return tables.postings.count({ segment, term, rest: start }, { segment, term, rest: end === '' ? REST_END : end });
}

const NOTHING = Buffer.alloc(1);

/**
 * In the place of a term, for keys with a version that could not be read when its postings were due: nobody knows what its value would be found by, so each
 * search finds it, looks at the value itself, and meets what a list does. A term with this hash finds these keys besides its own.
 */
export const UNREADABLE = Buffer.alloc(HASH_BYTES);

/** What is due for some revisions. */
export interface NewPostings {
  readonly postings: Posting[];
  /** revisions whose records are missing or damaged: see `postUnreadable` */
  readonly unreadable: number[];
}

/**
 * The postings of the changes of some revisions that their previous versions do not have already, those of one term together: they stand next to
 * each other in the file. Within `Tables.read`.
 */
export function newPostings(tables: Tables, terms: Terms, revisions: readonly number[]): NewPostings {
  const unreadable: number[] = [];
  const segments = new Map<string, Map<string, string[]>>();
  for (const revision of revisions) {
    const record = wholeRecord(tables, revision);
    if (record === undefined) unreadable.push(revision);
    if (record === undefined || recordOperation(record) === 'delete') continue;
    const place = splitKey(recordKey(record));
    if (place === undefined) continue;
    const { segment, rest } = place;
    const previous = recordPrevious(record);
    const found = termsIn(record, terms, segment);
    const before = found.length > 0 && previous > 0 ? (termsAt(tables, terms, segment, previous) ?? []) : [];
    const rests = memberOf(segments, segment, () => new Map<string, string[]>());
    for (const term of without(found, before)) memberOf(rests, term, () => []).push(rest);
  }
  const postings = [...segments].flatMap(([segment, byTerm]) =>
    [...byTerm].flatMap(([term, rests]) => sameTerm(segment, hashOf(term), rests)),
  );
  return { postings, unreadable };
}

/** What a version is found by once it has its postings: each of them is there for as long as the version is. */
export function recordPostings(record: Buffer, terms: Terms): Posting[] {
  const place = splitKey(recordKey(record));
  if (place === undefined || recordOperation(record) === 'delete') return [];
  return termsIn(record, terms, place.segment).map((term) => ({ ...place, term: hashOf(term) }));
}

const sameTerm = (segment: string, term: Buffer, rests: readonly string[]): Posting[] => rests.map((rest) => ({ segment, term, rest }));

function memberOf<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  let member = map.get(key);
  if (member === undefined) {
    member = make();
    map.set(key, member);
  }
  return member;
}

/** Stores a posting, in a write transaction. One that is there already stays. */
export function post(tables: Tables, posting: Posting): void {
  tables.postings.put(posting, NOTHING);
}

/** Makes searches find the key of a version that cannot be read, unless the version has gone meanwhile. It must be called in a write transaction. */
export function postUnreadable(tables: Tables, { key, revision }: Version): void {
  const place = splitKey(key);
  const isThere = tables.keys.get(key)?.revision === revision || tables.history.get({ text: key, revision }) !== undefined;
  if (place !== undefined && isThere) post(tables, { ...place, term: UNREADABLE });
}

/**
 * Removes the postings of a version that goes, where no other version of its key needs them. For write transactions, before the version is removed.
 * Where versions are damaged those stay that they may have: too many are no harm.
 */
export function unpost(tables: Tables, terms: Terms, key: string, revision: number): void {
  const place = splitKey(key);
  if (place === undefined) return;
  const at = (other: number): readonly string[] | undefined => termsAt(tables, terms, place.segment, other);
  const latest = tables.keys.get(key);
  let gone = at(revision);
  if (gone === undefined) return unpostUnreadable(tables, key, revision, { ...place, term: UNREADABLE });
  if (gone.length > 0 && latest !== undefined) gone = withoutThose(gone, at(latest.revision));
  if (gone.length === 0) return;
  for (const other of superseded(tables, key)) if (other !== revision) gone = withoutThose(gone, at(other));
  for (const term of gone) tables.postings.remove({ ...place, term: hashOf(term) });
}

/** Removes the posting for unreadable versions of a key when one of them goes, unless another unreadable version is left. */
function unpostUnreadable(tables: Tables, key: string, revision: number, posting: Posting): void {
  if (tables.postings.get(posting) === undefined) return;
  const latest = tables.keys.get(key);
  const others = [...(latest === undefined ? [] : [latest.revision]), ...superseded(tables, key)];
  if (others.every((other) => other === revision || wholeRecord(tables, other) !== undefined)) tables.postings.remove(posting);
}

const without = (terms: readonly string[], others: readonly string[]): readonly string[] =>
  others.length === 0 ? terms : terms.filter((term) => !others.includes(term));

const withoutThose = (terms: readonly string[], others: readonly string[] | undefined): readonly string[] =>
  others === undefined ? [] : without(terms, others);

/** Returns the revisions of a key's versions that another one followed, without deletions. */
function superseded(tables: Tables, key: string): number[] {
  const rows = tables.history.pending({ text: key, revision: 0 }, { text: key, revision: REVISION_END });
  return rows.filter(({ value }) => !value.tombstone).map((row) => row.key.revision);
}

/** @returns undefined where the record is missing or damaged */
function termsAt(tables: Tables, terms: Terms, segment: string, revision: number): readonly string[] | undefined {
  const record = wholeRecord(tables, revision);
  return record === undefined ? undefined : termsIn(record, terms, segment);
}

/** Reads a record from memory, or from LMDB. @returns undefined if it is missing or damaged */
function wholeRecord(tables: Tables, revision: number): Buffer | undefined {
  const recent = tables.recent.get(revision);
  if (recent !== undefined) return recent;
  const record = tables.log.get(revision);
  return record !== undefined && tables.verified.isWhole(revision, record) ? record : undefined;
}

/** The end is named: `lmdb` gives a buffer that is longer than its length says. */
const termsIn = (record: Buffer, terms: Terms, segment: string): readonly string[] =>
  terms.of(segment, record.subarray(recordValueOffset(record), record.length));

/** @returns undefined for a key that has nothing behind its resource: nothing is posted of it */
function splitKey(key: string): { segment: string; rest: string } | undefined {
  const resource = resourcePrefix(key);
  return resource.length === key.length ? undefined : { segment: resource, rest: key.slice(resource.length + 1) };
}

/** How far the postings are behind. */
export const backlog = (state: State): number => state.revision - state.posted;
