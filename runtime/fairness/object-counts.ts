/** How many objects there are, about: counted anew from time to time, the less often the longer it takes. */
import { isKey } from '../storage/storage.ts';

export interface CountedStore {
  count(range: { readonly start: string; readonly end: string }): number;
}

/** Milliseconds that a count is good for at least. */
const LEAST_LIFE = 1_000;
/** A count is good for so many times as long as it took. */
const LIFE_OF_COST = 200;
/** Counts that are remembered; clients choose the namespaces that they name. */
const MOST_COUNTS = 2_000;

export class ObjectCounts {
  readonly #store: CountedStore;
  readonly #counts = new Map<string, { readonly count: number; readonly until: number }>();

  constructor(store: CountedStore) {
    this.#store = store;
  }

  /** @param prefix of keys, which ends with a slash */
  of(prefix: string): number {
    // clients name namespaces that no key can have
    if (!isKey(prefix)) return 0;
    const begun = performance.now();
    const known = this.#counts.get(prefix);
    if (known !== undefined && known.until > begun) return known.count;
    const count = this.#store.count({ start: prefix, end: `${prefix.slice(0, -1)}0` });
    if (this.#counts.size >= MOST_COUNTS) this.#counts.clear();
    const now = performance.now();
    this.#counts.set(prefix, { count, until: now + Math.max(LEAST_LIFE, LIFE_OF_COST * (now - begun)) });
    return count;
  }
}
