import { KeyedDigest } from './keyed-digest.ts';

/** Most entries. */
const LIMIT = 4_096;

/**
 * Caches answers about tokens. It stores a keyed digest of each token, never the token itself. The oldest entries are dropped first. Times are those of
 * `performance.now()`, so that setting the machine's clock back does not keep a token valid for longer.
 */
export class TokenCache<V> {
  readonly #digest = new KeyedDigest();
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();

  /** @param scope everything besides the token that the answer depends on. @param connection as of `KeyedDigest` */
  get(token: string, scope = '', connection?: object): V | undefined {
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(this.#digest.of(`${token}\0${scope}`, connection));
    return entry !== undefined && performance.now() < entry.until ? entry.value : undefined;
  }

  /** @param ttl milliseconds; with 0 or less nothing is stored */
  set(token: string, value: V, ttl: number, scope = ''): void {
    if (ttl <= 0) return;
    const digest = this.#digest.of(`${token}\0${scope}`);
    this.#entries.delete(digest);
    this.#entries.set(digest, { value, until: performance.now() + ttl });
    if (this.#entries.size <= LIMIT) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as string);
  }

  delete(token: string, scope = ''): void {
    this.#entries.delete(this.#digest.of(`${token}\0${scope}`));
  }
}
