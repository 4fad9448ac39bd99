/** Roughly how many objects there are. A count is repeated from time to time, and the longer it takes the less often. */
import { isKey } from '../storage/storage.ts';

export interface CountedStore {
  count(range: { readonly start: string; readonly end: string }): number;
}

/** The least milliseconds for which a count is used again. */
const LEAST_LIFE = 1_000;
/** A count is used again for so many times as long as it took: counting so takes at most half a percent of the time. */
const LIFE_OF_COST = 200;
/** The most counts that are remembered. Clients choose the namespaces that they name, so their number is bounded. */
const MOST_COUNTS = 2_000;

export class ObjectCounts {
  readonly #store: CountedStore;
  readonly #counts = new Map<string, { readonly count: number; readonly until: number }>();

  constructor(store: CountedStore) {
    this.#store = store;
  }

  /** @param prefix of keys; it ends with a slash */
  of(prefix: string): number {
    // clients may name namespaces that no key can contain
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
