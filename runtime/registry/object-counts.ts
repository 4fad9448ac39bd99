/** How many objects of each resource there are: counted when somebody asks and the last count is old, a few milliseconds at a time. */
import type { StorageView } from '../storage/storage.ts';
import { prefixEnd } from '../storage/storage.ts';
import { turn } from './event-loop-turns.ts';
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';
import { storagePrefix } from './resource-keys.ts';

/** Keys that are looked at before others have their turn. */
const SLICE = 2_000;
/** Milliseconds for which the one who asks waits; what is left is counted behind it, and told to the next one. */
const AT_ONCE = 10;

export interface ObjectCount {
  /** such as `deployments.apps` */
  readonly resource: string;
  readonly count: number;
}

interface CountedStore {
  readonly storage: Pick<StorageView, 'range'>;
  readonly registry: Pick<Registry, 'current'>;
}

export class ObjectCounts {
  readonly #store: CountedStore;
  readonly #period: number;
  readonly #now: () => number;
  #counts = new Map<string, number>();
  #begun = Number.NEGATIVE_INFINITY;
  #counting: Promise<void> | undefined;

  /** @param period milliseconds for which a count is good */
  constructor(store: CountedStore, period: number, now: () => number = () => performance.now()) {
    this.#store = store;
    this.#period = period;
    this.#now = now;
  }

  /** What was counted last. */
  current(): readonly ObjectCount[] {
    if (this.#counting === undefined && this.#now() - this.#begun >= this.#period) this.#countAnew();
    return Array.from(this.#counts, ([resource, count]) => ({ resource, count }));
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
    for (const resource of this.#store.registry.current.storedResources()) {
      let count = 0;
      const prefix = storagePrefix(resource, '');
      for (let start: string | undefined = prefix; start !== undefined; ) {
        const { length, last } = this.#slice(start, prefixEnd(prefix));
        count += length;
        start = length < SLICE ? undefined : `${last}\0`;
        yield;
      }
      counts.set(nameOf(resource), count);
    }
  }

  #slice(start: string, end: string): { readonly length: number; readonly last: string } {
    let length = 0;
    let last = start;
    for (const { key } of this.#store.storage.range({ start, end, limit: SLICE })) {
      length++;
      last = key;
    }
    return { length, last };
  }
}

const nameOf = ({ data, groupVersion: { group } }: Resource): string => (group === '' ? data.name : `${data.name}.${group}`);
