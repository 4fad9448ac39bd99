/** How many keys there are under prefixes: counted when somebody asks and the last count is old, a few milliseconds at a time. */

import { turn } from '../../event-loop/turns.ts';
import type { StorageView } from '../../storage/storage.ts';
import { prefixEnd } from '../../storage/storage.ts';

/** Keys that are looked at before others have their turn. */
const SLICE = 2_000;
/** Milliseconds for which the one who asks waits; what is left is counted behind it, and told to the next one. */
const AT_ONCE = 10;

/** What is counted under one name. */
export interface CountedKeys {
  readonly name: string;
  readonly prefix: string;
  /** which keys below the prefix count; absent: all */
  readonly has?: (key: string) => boolean;
}

const ALL = (): boolean => true;

export interface KeyCountsOptions {
  /** milliseconds for which a count is good; 0: it is counted anew whenever somebody asks */
  readonly period: number;
  /** milliseconds, which only go forward; default: those of the process */
  readonly now?: () => number;
}

export class KeyCounts {
  readonly #storage: Pick<StorageView, 'range'>;
  readonly #counted: () => Iterable<CountedKeys>;
  readonly #period: number;
  readonly #now: () => number;
  #counts: ReadonlyMap<string, number> = new Map();
  #begun = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  /** @param counted asked each time that counting begins */
  constructor(storage: Pick<StorageView, 'range'>, counted: () => Iterable<CountedKeys>, options: KeyCountsOptions) {
    this.#storage = storage;
    this.#counted = counted;
    this.#period = options.period;
    this.#now = options.now ?? (() => performance.now());
  }

  /** What was counted last, by name. */
  current(): ReadonlyMap<string, number> {
    if (this.#counting === undefined && this.#now() - this.#begun >= this.#period) this.#countAnew();
    return this.#counts;
  }

  /** Resolves when nothing is being counted. */
  async counted(): Promise<void> {
    await this.#counting;
  }

  #countAnew(): void {
    this.#begun = this.#now();
    const counts = new Map<string, number>();
    const steps = this.#steps(counts);
    const until = this.#begun + AT_ONCE;
    let done = false;
    while (!done && this.#now() < until) done = steps.next().done === true;
    // of a first look the part that is known is better than nothing
    if (done || this.#counts.size === 0) this.#counts = counts;
    if (!done) this.#counting = this.#countOn(steps, counts);
  }

  /** A store that is closed meanwhile ends it. */
  async #countOn(steps: Iterator<void>, counts: Map<string, number>): Promise<void> {
    try {
      do await turn();
      while (steps.next().done !== true);
      this.#counts = counts;
    } catch {
      // The next one to ask counts anew.
    } finally {
      this.#counting = undefined;
    }
  }

  *#steps(counts: Map<string, number>): Generator<void> {
    for (const { name, prefix, has = ALL } of this.#counted()) {
      let count = 0;
      for (let start: string | undefined = prefix; start !== undefined; ) {
        const { length, counted, last } = this.#slice(start, prefixEnd(prefix), has);
        count += counted;
        start = length < SLICE ? undefined : `${last}\0`;
        yield;
      }
      counts.set(name, count);
    }
  }

  #slice(
    start: string,
    end: string,
    has: (key: string) => boolean,
  ): { readonly length: number; readonly counted: number; readonly last: string } {
    let length = 0;
    let counted = 0;
    let last = start;
    for (const { key } of this.#storage.range({ start, end, limit: SLICE })) {
      length++;
      if (has(key)) counted++;
      last = key;
    }
    return { length, counted, last };
  }
}
