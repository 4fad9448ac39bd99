/** Brings the postings up to the log, in slices between which other writers get their turn. */
import { ValueDamaged } from '../../errors.ts';
import type { Terms } from '../../storage.ts';
import type { Posting } from '../codecs/posting-key.ts';
import type { Tables } from '../tables/tables.ts';
import { unreadableVersions } from '../versions/unreadable-versions.ts';
import type { Writer } from '../writes/writer.ts';
import { type NewPostings, newPostings, post, postUnreadable } from './postings.ts';

/** Time that one slice may hold the event loop inside its write transaction. */
const SLICE_MILLISECONDS = 3;
/** Postings after which it looks at the clock, which takes a part of the time that one of them does. */
const POSTINGS_A_LOOK = 16;
/** Revisions whose postings are gathered at a time. */
const PAGE = 512;

/** Postings of successive revisions that have none. */
interface Page extends NewPostings {
  /** up to which the postings were complete when these were gathered */
  readonly posted: number;
  /** up to which they are when these are written */
  readonly last: number;
  /** some of its revisions may have been compacted: where a record is missing nothing but its key tells */
  readonly hasGaps: boolean;
}

export class Indexer {
  readonly #tables: Tables;
  readonly #writer: Writer;
  readonly #terms: Terms;
  readonly #damaged: (error: ValueDamaged) => void;
  #running: Promise<void> = Promise.resolve();

  /** @param damaged hears of each value that is stepped over, since it is not what was written. Must not throw. */
  constructor(tables: Tables, writer: Writer, terms: Terms, damaged: (error: ValueDamaged) => void) {
    this.#tables = tables;
    this.#writer = writer;
    this.#terms = terms;
    this.#damaged = damaged;
  }

  /**
   * Resolves when the postings of all that was committed before the call are there. Processes may do so at the same time. What is damaged is stepped over:
   * else history would never be compacted again, for what has no postings yet stays.
   */
  advance(): Promise<void> {
    const target = this.#tables.read(() => this.#tables.state().revision);
    this.#running = this.#running.catch(() => {}).then(() => this.#advanceTo(target));
    return this.#running;
  }

  async #advanceTo(target: number): Promise<void> {
    let notedAfter = Number.POSITIVE_INFINITY;
    for (let page = this.#page(target); page !== undefined; page = this.#page(target)) {
      if (page.posted < notedAfter && (page.hasGaps || page.unreadable.length > 0)) {
        await this.#noteUnreadable(page.posted, target);
        notedAfter = page.posted;
      }
      for (const revision of page.unreadable)
        this.#damaged(new ValueDamaged(undefined, revision, 'its record is missing or has another checksum'));
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
      return { posted, last, hasGaps: posted < compacted, ...newPostings(this.#tables, this.#terms, revisions) };
    });
  }

  /** Before the postings count as complete, so that there is no moment at which searches leave out such a version. */
  async #noteUnreadable(after: number, upTo: number): Promise<void> {
    const found = await unreadableVersions(this.#tables, after, upTo);
    for (const { error } of found) this.#damaged(error);
    for (let next = 0; next < found.length; next += PAGE) {
      const page = found.slice(next, next + PAGE);
      await this.#writer.submit((tables) => {
        for (const version of page) postUnreadable(tables, version);
      });
    }
  }

  /** Lists the revisions of a page that have records; a compaction has removed those of some versions. */
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
        if (next % POSTINGS_A_LOOK === 0 && performance.now() >= deadline) return next;
      }
      state.posted = last;
      return undefined;
    });
  }
}

/** Every revision above the compacted one has a record. */
const successive = (after: number, target: number): number[] =>
  Array.from({ length: Math.min(PAGE, target - after) }, (_, i) => after + 1 + i);
