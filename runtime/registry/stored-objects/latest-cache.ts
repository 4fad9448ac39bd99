import type { Entry, Storage } from '../../storage/storage.ts';

export interface LatestCacheLimits {
  /** keys at most */
  readonly keys: number;
  /** longest value, in bytes, of which something is kept; default: any */
  readonly bytes?: number;
}

interface Kept<T> {
  readonly revision: number;
  readonly made: T;
}

/** What is made of the latest values of keys, for what many requests ask for: made anew only when a key was written, whichever process wrote it. */
export class LatestCache<T> {
  readonly #storage: Storage;
  readonly #limits: LatestCacheLimits;
  readonly #make: (entry: Entry) => T;
  readonly #kept = new Map<string, Kept<T>>();

  /** @param make the entry is its own: it may keep the value */
  constructor(storage: Storage, limits: LatestCacheLimits, make: (entry: Entry) => T) {
    this.#storage = storage;
    this.#limits = limits;
    this.#make = make;
  }

  /** @returns undefined for a key that has no value */
  get(key: string): T | undefined {
    const revision = this.#storage.revisionOf(key);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.revision === revision) return kept.made;
    const entry = revision === undefined ? undefined : this.#storage.get(key);
    if (entry === undefined) {
      this.#kept.delete(key);
      return undefined;
    }
    const made = this.#make(entry);
    if (this.#kept.size >= this.#limits.keys) this.#kept.clear();
    if (entry.value.length <= (this.#limits.bytes ?? Number.POSITIVE_INFINITY)) this.#kept.set(key, { revision: entry.revision, made });
    return made;
  }
}
