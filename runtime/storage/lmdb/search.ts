/** Entries by the terms of their values. */
import type { Entry } from '../storage.ts';
import { compareKeys } from '../storage.ts';
import { REVISION_END } from './codecs.ts';
import { LazyEntry, ValueReader } from './entries.ts';
import { backlog, countPostings, hashOf, postingsOf, type RestRange } from './postings.ts';
import type { Tables } from './tables.ts';
import { assertReadable, versionAt } from './versions.ts';

/** Candidates that are looked up at a time. */
const PAGE = 256;
/** Changes without postings up to which a search is worth its while. */
const MAX_BACKLOG = 10_000;

/** One requirement: terms of which a value has one. */
export type Alternatives = readonly string[];

/**
 * A superset of the entries in the range whose values meet all requirements, in order.
 * @param revision readable when this was called
 * @returns undefined where reading the whole range is the shorter way
 */
export function search(
  tables: Tables,
  range: RestRange,
  revision: number,
  requirements: readonly Alternatives[],
): Generator<Entry, void> | undefined {
  const plan = tables.read(() => {
    const state = tables.state();
    if (backlog(state) > MAX_BACKLOG) return undefined;
    return { terms: rarest(tables, range, requirements), changed: changedKeys(tables, range, state.posted) };
  });
  return plan === undefined ? undefined : found(tables, range, revision, plan.terms, plan.changed);
}

/** The requirement that the fewest keys meet, as hashes. */
function rarest(tables: Tables, range: RestRange, requirements: readonly Alternatives[]): readonly Buffer[] {
  const hashed = requirements.map((alternatives) => [...new Set(alternatives)].map(hashOf));
  if (hashed.length === 1) return hashed[0] as Buffer[];
  const counted = hashed.map((terms) => ({ terms, count: terms.reduce((sum, term) => sum + countPostings(tables, term, range), 0) }));
  return counted.reduce((a, b) => (b.count < a.count ? b : a)).terms;
}

/** What follows the segment's slash of keys in the range that have changed since `posted`, in order. */
function changedKeys(tables: Tables, { segment, start, end }: RestRange, posted: number): string[] {
  const rests = new Set<string>();
  for (const { value } of tables.index.rows({ text: segment, revision: posted + 1 }, { text: segment, revision: REVISION_END })) {
    if (value.operation === 'delete') continue;
    const rest = value.key.slice(segment.length + 1);
    if (compareKeys(rest, start) >= 0 && (end === '' || compareKeys(rest, end) < 0)) rests.add(rest);
  }
  return [...rests].sort(compareKeys);
}

function* found(
  tables: Tables,
  range: RestRange,
  revision: number,
  terms: readonly Buffer[],
  changed: readonly string[],
): Generator<Entry, void> {
  const values = new ValueReader(tables);
  let start: string | undefined = range.start;
  let nextChanged = 0;
  while (start !== undefined) {
    const from: string = start;
    const page = tables.read(() => {
      assertReadable(tables.state(), revision);
      const { candidates, next } = candidatePage(tables, terms, { ...range, start: from });
      while (nextChanged < changed.length && (next === undefined || compareKeys(changed[nextChanged] as string, next) < 0))
        candidates.add(changed[nextChanged++] as string);
      return { versions: versionsOf(tables, range.segment, candidates, revision), next };
    });
    for (const { key, revision: at } of page.versions) yield new LazyEntry(key, at, values);
    start = page.next;
  }
}

/** @returns candidates from `range.start` on, and where the rest begins; undefined: nowhere */
function candidatePage(tables: Tables, terms: readonly Buffer[], range: RestRange): { candidates: Set<string>; next: string | undefined } {
  const pages = terms.map((term) => postingsOf(tables, term, range, PAGE));
  // beyond the first page's end that is not the last, some term's postings are not read yet
  let next: string | undefined;
  for (const page of pages) {
    if (page.length < PAGE) continue;
    const after = `${page.at(-1)}\0`;
    if (next === undefined || compareKeys(after, next) < 0) next = after;
  }
  const candidates = new Set<string>();
  for (const page of pages) for (const rest of page) if (next === undefined || compareKeys(rest, next) < 0) candidates.add(rest);
  return { candidates, next };
}

/** Those that have a value at `revision`, in order. */
function versionsOf(tables: Tables, segment: string, rests: ReadonlySet<string>, revision: number): { key: string; revision: number }[] {
  const versions: { key: string; revision: number }[] = [];
  for (const rest of [...rests].sort(compareKeys)) {
    const key = `${segment}/${rest}`;
    const at = versionAt(tables, key, revision);
    if (at !== undefined) versions.push({ key, revision: at });
  }
  return versions;
}
