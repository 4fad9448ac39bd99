import { KeyedDigest } from './keyed-digest.ts';

/** Entries at most. */
const LIMIT = 4_096;

/**
 * What was found out about tokens, for a while. It holds a keyed digest of each, never a token itself; the oldest entries make room for new ones. Their time is that of
 * `performance.now()`: a machine's clock that is set back must not make a token good for longer.
 */
export class TokenCache<V> {
  readonly #digest = new KeyedDigest();
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();

  /** @param scope what the answer depends on besides the token. @param connection as of `KeyedDigest` */
  get(token: string, scope = '', connection?: object): V | undefined {
    if (this.#entries.size === 0) return undefined;
    const entry = this.#entries.get(this.#digest.of(`${token}\0${scope}`, connection));
    return entry !== undefined && performance.now() < entry.until ? entry.value : undefined;
  }

  /** @param ttl milliseconds; nothing is kept for 0 and less */
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
