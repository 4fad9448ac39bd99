/** Finds entries by the terms of their values. */
import { compareKeys, type Entry, type Scan } from '../../storage.ts';
import { REVISION_END } from '../codecs/codecs.ts';
import type { Tables } from '../tables/tables.ts';
import { ScannedEntry } from '../versions/scan.ts';
import { assertReadable, versionAt } from '../versions/versions.ts';
import { backlog, countPostings, hashOf, postingsOf, type RestRange, UNREADABLE } from './postings.ts';

/** Terms that are looked up at most, a few microseconds each: nobody else is served meanwhile. Where no requirement has so few, the range is read. */
const MAX_TERMS = 256;
/** Postings that are looked up at a time: of one term, and about so many of all. */
const PAGE = 256;
const ROWS = 4_096;
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
    const few = withFewTerms(requirements);
    // of what was compacted before it had postings nothing tells any more that it has changed
    if (state.posted < state.compacted || backlog(state) > MAX_BACKLOG || few.length === 0) return undefined;
    const terms = [...rarest(tables, range, few), UNREADABLE];
    return new SearchScan(tables, range, revision, terms, changedKeys(tables, range, state.posted));
  });
}

/** Those with the fewest terms, as many as may be looked up; none where each has more. */
function withFewTerms(requirements: readonly Alternatives[]): Alternatives[] {
  let count = 0;
  return requirements
    .toSorted((a, b) => a.length - b.length)
    .filter(({ length }) => {
      count += length;
      return count <= MAX_TERMS;
    });
}

/** Returns the hashes of the requirement that the fewest keys meet. */
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
  readonly #segment: string;
  readonly #revision: number;
  readonly #terms: readonly TermPostings[];
  /** without postings when the search began */
  readonly #changed: readonly string[];
  #nextChanged = 0;
  #page: readonly string[] = [];
  #at = 0;
  #ended = false;

  constructor(tables: Tables, range: RestRange, revision: number, terms: readonly Buffer[], changed: readonly string[]) {
    this.#tables = tables;
    this.#segment = range.segment;
    this.#revision = revision;
    const page = Math.min(PAGE, Math.ceil(ROWS / terms.length));
    this.#terms = terms.map((term) => new TermPostings(tables, term, range, page));
    this.#changed = changed;
  }

  next(visit: (entry: Entry) => boolean): boolean {
    return this.#tables.read(() => {
      assertReadable(this.#tables.state(), this.#revision);
      const entry = new ScannedEntry(this.#tables);
      for (;;) {
        if (this.#at === this.#page.length && !this.#turnPage()) return false;
        while (this.#at < this.#page.length) {
          const key = `${this.#segment}/${this.#page[this.#at++]}`;
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
    if (this.#ended) return false;
    // from there on some term's postings are not read yet
    let next: string | undefined;
    for (const term of this.#terms) {
      const unread = term.read();
      if (unread !== undefined && (next === undefined || compareKeys(unread, next) < 0)) next = unread;
    }
    this.#page = merged([...this.#terms.map((term) => term.take(next)), this.#changedBefore(next)]);
    this.#at = 0;
    this.#ended = next === undefined;
    return true;
  }

  #changedBefore(end: string | undefined): string[] {
    const first = this.#nextChanged;
    while (this.#nextChanged < this.#changed.length && isBefore(this.#changed[this.#nextChanged] as string, end)) this.#nextChanged++;
    return this.#changed.slice(first, this.#nextChanged);
  }
}

/** The postings of one term, in order; those that were read wait until the other terms have come so far. */
class TermPostings {
  readonly #tables: Tables;
  readonly #term: Buffer;
  readonly #range: RestRange;
  readonly #page: number;
  #rests: readonly string[] = [];
  #unread: string | undefined;

  constructor(tables: Tables, term: Buffer, range: RestRange, page: number) {
    this.#tables = tables;
    this.#term = term;
    this.#range = range;
    this.#page = page;
    this.#unread = range.start;
  }

  /** Reads on where nothing waits. @returns from where on postings are not read yet; undefined: all are */
  read(): string | undefined {
    if (this.#rests.length === 0 && this.#unread !== undefined) {
      this.#rests = postingsOf(this.#tables, this.#term, { ...this.#range, start: this.#unread }, this.#page);
      this.#unread = this.#rests.length < this.#page ? undefined : `${this.#rests.at(-1)}\0`;
    }
    return this.#unread;
  }

  /** What was read and stands before `end`; undefined: all. */
  take(end: string | undefined): readonly string[] {
    const after = this.#rests.findIndex((rest) => !isBefore(rest, end));
    const taken = after === -1 ? this.#rests : this.#rests.slice(0, after);
    this.#rests = after === -1 ? [] : this.#rests.slice(after);
    return taken;
  }
}

const isBefore = (rest: string, end: string | undefined): boolean => end === undefined || compareKeys(rest, end) < 0;

/** @param lists each in order. @returns what is in any of them, once and in order */
function merged(lists: readonly (readonly string[])[]): readonly string[] {
  const filled = lists.filter(({ length }) => length > 0);
  return filled.length < 2 ? (filled[0] ?? []) : [...new Set(filled.flat())].sort(compareKeys);
}
