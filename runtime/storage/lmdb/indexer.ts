/** Brings the postings up to the log, in slices between which other writers get their turn. */
import type { Terms } from '../storage.ts';
import { post } from './postings.ts';
import type { Tables } from './tables.ts';
import type { Writer } from './writer.ts';

/** Time that one slice may hold the event loop inside its write transaction. */
const SLICE_MILLISECONDS = 3;
/** Revisions that are looked up for slices at a time. */
const PAGE = 256;

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
    for (let page = this.#page(target); page.length > 0; page = this.#page(target)) {
      let next = 0;
      while (next < page.length) next = await this.#postSlice(page, next);
    }
  }

  /** Revisions without postings; the last one of all is `target`, whether it has a record or not. */
  #page(target: number): number[] {
    return this.#tables.read(() => {
      const { posted, compacted } = this.#tables.state();
      if (posted >= target) return [];
      // every revision above the compacted one has a record
      if (posted >= compacted) return Array.from({ length: Math.min(PAGE, target - posted) }, (_, i) => posted + 1 + i);
      const revisions = Array.from(this.#tables.log.rows(posted + 1, target + 1, PAGE), ({ key }) => key);
      return revisions.length < PAGE && revisions.at(-1) !== target ? [...revisions, target] : revisions;
    });
  }

  /** @returns the place in the page where the next slice begins */
  #postSlice(page: readonly number[], from: number): Promise<number> {
    return this.#writer.submit((tables, state) => {
      const deadline = performance.now() + SLICE_MILLISECONDS;
      let next = from;
      while (next < page.length) {
        const revision = page[next++] as number;
        // another process may have been faster
        if (revision <= state.posted) continue;
        post(tables, this.#terms, revision);
        state.posted = revision;
        if (performance.now() >= deadline) break;
      }
      return next;
    });
  }
}
