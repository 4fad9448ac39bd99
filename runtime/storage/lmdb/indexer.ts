/** Brings the postings up to the log, in slices between which other writers get their turn. */
import type { Terms } from '../storage.ts';
import type { Posting } from './posting-key.ts';
import { newPostings, post } from './postings.ts';
import type { Tables } from './tables.ts';
import type { Writer } from './writer.ts';

/** Time that one slice may hold the event loop inside its write transaction. */
const SLICE_MILLISECONDS = 3;
/** Revisions whose postings are gathered at a time. */
const PAGE = 512;

/** Postings of successive revisions that have none. */
interface Page {
  /** up to which the postings were complete when these were gathered */
  readonly posted: number;
  /** up to which they are when these are written */
  readonly last: number;
  readonly postings: readonly Posting[];
}

export class Indexer {
  readonly #tables: Tables;
  readonly #writer: Writer;
  readonly #terms: Terms;
  #running: Promise<void> = Promise.resolve();

  constructor(tables: Tables, writer: Writer, terms: Terms) {
    this.#tables = tables;
    this.#writer = writer;
    this.#terms = terms;
  }

  /** Resolves when the postings of all that was committed before the call are there. Processes may do so at the same time. */
  advance(): Promise<void> {
    const target = this.#tables.read(() => this.#tables.state().revision);
    this.#running = this.#running.catch(() => {}).then(() => this.#advanceTo(target));
    return this.#running;
  }

  async #advanceTo(target: number): Promise<void> {
    for (let page = this.#page(target); page !== undefined; page = this.#page(target)) {
      let next: number | undefined = 0;
      while (next !== undefined) next = await this.#postSlice(page, next);
    }
  }

  /** @returns undefined where there is nothing left up to `target` */
  #page(target: number): Page | undefined {
    return this.#tables.read(() => {
      const { posted, compacted } = this.#tables.state();
      if (posted >= target) return undefined;
      const revisions = posted < compacted ? this.#recordsAfter(posted, target) : successive(posted, target);
      // what the last page of the log ends with need not be its end
      const last = revisions.length < PAGE ? target : (revisions.at(-1) as number);
      return { posted, last, postings: newPostings(this.#tables, this.#terms, revisions) };
    });
  }

  /** Where a compaction was, only the versions that it left have records. */
  #recordsAfter(posted: number, target: number): number[] {
    return Array.from(this.#tables.log.rows(posted + 1, target + 1, PAGE), ({ key }) => key);
  }

  /** @returns the place in the page where the next slice begins; undefined behind the last one */
  #postSlice({ posted, last, postings }: Page, from: number): Promise<number | undefined> {
    return this.#writer.submit((tables, state) => {
      // another process was faster, and may have compacted meanwhile: what is left is gathered anew
      if (state.posted !== posted) return undefined;
      const deadline = performance.now() + SLICE_MILLISECONDS;
      let next = from;
      while (next < postings.length) {
        post(tables, postings[next++] as Posting);
        if (performance.now() >= deadline) return next;
      }
      state.posted = last;
      return undefined;
    });
  }
}

/** Every revision above the compacted one has a record. */
const successive = (after: number, target: number): number[] =>
  Array.from({ length: Math.min(PAGE, target - after) }, (_, i) => after + 1 + i);
