import type { Latest } from '../codecs/codecs.ts';

/**
 * Revisions that were looked up, for a process that has the store for itself: they stay what they are until it writes itself. While a write of a
 * key is under way its revision is looked up each time, for nobody here knows when the write becomes visible.
 */

/** Keys at most; when there are more, all are forgotten. */
const MOST_KEYS = 4_096;

export class KnownRevisions {
  /** the latest versions of keys; for a key that is being written, the version before the write */
  readonly #latest = new Map<string, Latest>();
  /** writes under way, by their keys */
  readonly #writes = new Map<string, number>();
  #newest: number | undefined;

  /** Returns the latest version of a key. @param lookUp finds it; it returns undefined for a key without a value, which is not remembered */
  of(key: string, lookUp: (key: string) => Latest | undefined): Latest | undefined {
    const isWritten = this.#writes.has(key);
    const known = isWritten ? undefined : this.#latest.get(key);
    if (known !== undefined) return known;
    const found = lookUp(key);
    if (found !== undefined && !isWritten) this.#keep(key, found);
    return found;
  }

  /**
   * What is known of a key for a write that is made now, which finds nothing newer in what is made with it.
   * @param written the key that is written itself, by a write that has begun
   * @returns undefined: it is to be looked up
   */
  forWrite(key: string, written: string): Latest | undefined {
    const others = (this.#writes.get(key) ?? 0) - (key === written ? 1 : 0);
    return others > 0 ? undefined : this.#latest.get(key);
  }

  #keep(key: string, latest: Latest): void {
    if (this.#latest.size >= MOST_KEYS) this.#latest.clear();
    this.#latest.set(key, latest);
  }

  /** Returns the newest revision of the store. */
  newest(lookUp: () => number): number {
    if (this.#newest !== undefined) return this.#newest;
    const found = lookUp();
    if (this.#writes.size === 0) this.#newest = found;
    return found;
  }

  /** Notes a write. It must be called before anything of the write can be seen, and `ended` when the write has succeeded or failed. */
  began(key: string): void {
    this.#newest = undefined;
    this.#writes.set(key, (this.#writes.get(key) ?? 0) + 1);
  }

  /**
   * Notes the end of a write; for several writes of a key in their order.
   * @param latest the version that the key has now; undefined if it has none, or if it is not known
   */
  ended(key: string, latest?: Latest): void {
    const left = (this.#writes.get(key) as number) - 1;
    if (left > 0) this.#writes.set(key, left);
    else this.#writes.delete(key);
    // a key that nobody has asked for will hardly be asked for soon
    if (latest !== undefined && this.#latest.has(key)) this.#latest.set(key, latest);
    else this.#latest.delete(key);
  }
}
