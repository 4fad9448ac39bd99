/** Entries by the terms of their values. */
import { compareKeys, type Entry, type Scan } from '../storage.ts';
import { REVISION_END } from './codecs.ts';
import { backlog, countPostings, hashOf, postingsOf, type RestRange } from './postings.ts';
import { ScannedEntry } from './scan.ts';
import type { Tables } from './tables.ts';
import { assertReadable, versionAt } from './versions.ts';

/** Postings of one term that are looked up at a time. */
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
export function search(tables: Tables, range: RestRange, revision: number, requirements: readonly Alternatives[]): Scan | undefined {
  return tables.read(() => {
    const state = tables.state();
    if (backlog(state) > MAX_BACKLOG) return undefined;
    return new SearchScan(tables, range, revision, rarest(tables, range, requirements), changedKeys(tables, range, state.posted));
  });
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

/**
 * What was found once stays found: the postings of a version stay for as long as it can be read, so that what has them at any later time,
 * and what had none when the search began, is all there is at its revision.
 */
class SearchScan implements Scan {
  readonly #tables: Tables;
  readonly #range: RestRange;
  readonly #revision: number;
  readonly #terms: readonly Buffer[];
  /** without postings when the search began */
  readonly #changed: readonly string[];
  #nextChanged = 0;
  #page: readonly string[] = [];
  #at = 0;
  /** where the next page begins; undefined: there is none */
  #start: string | undefined;

  constructor(tables: Tables, range: RestRange, revision: number, terms: readonly Buffer[], changed: readonly string[]) {
    this.#tables = tables;
    this.#range = range;
    this.#revision = revision;
    this.#terms = terms;
    this.#changed = changed;
    this.#start = range.start;
  }

  next(visit: (entry: Entry) => boolean): boolean {
    return this.#tables.read(() => {
      assertReadable(this.#tables.state(), this.#revision);
      const entry = new ScannedEntry(this.#tables);
      for (;;) {
        if (this.#at === this.#page.length && !this.#turnPage()) return false;
        while (this.#at < this.#page.length) {
          const key = `${this.#range.segment}/${this.#page[this.#at++]}`;
          const revision = versionAt(this.#tables, key, this.#revision);
          if (revision === undefined) continue;
          entry.set(key, revision);
          if (!visit(entry)) return true;
        }
      }
    });
  }

  /** @returns whether there was one, perhaps without candidates */
  #turnPage(): boolean {
    if (this.#start === undefined) return false;
    const range = { ...this.#range, start: this.#start };
    const postings = this.#terms.map((term) => postingsOf(this.#tables, term, range, PAGE));
    // beyond the first page's end that is not the last, some term's postings are not read yet
    let next: string | undefined;
    for (const page of postings) {
      if (page.length < PAGE) continue;
      const after = `${page.at(-1)}\0`;
      if (next === undefined || compareKeys(after, next) < 0) next = after;
    }
    const before = (rest: string): boolean => next === undefined || compareKeys(rest, next) < 0;
    const changed: string[] = [];
    for (; this.#nextChanged < this.#changed.length; this.#nextChanged++) {
      const rest = this.#changed[this.#nextChanged] as string;
      if (!before(rest)) break;
      changed.push(rest);
    }
    this.#page = merged([...postings.map((page) => page.filter(before)), changed]);
    this.#at = 0;
    this.#start = next;
    return true;
  }
}

/** @param lists each in order. @returns what is in any of them, once and in order */
function merged(lists: readonly (readonly string[])[]): readonly string[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length < 2 ? (filled[0] ?? []) : [...new Set(filled.flat())].sort(compareKeys);
}
