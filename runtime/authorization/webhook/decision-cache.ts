import type { Decision } from '../authorizer.ts';

/** Entries at most, as in 1.32. */
const LIMIT = 8_192;

/** What a service has decided, for a while; the oldest entries make room for new ones. */
export class DecisionCache {
  readonly #entries = new Map<string, { readonly decision: Decision; readonly until: number }>();

  get(key: string): Decision | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || Date.now() < entry.until) return entry?.decision;
    this.#entries.delete(key);
    return undefined;
  }

  /** @param ttl milliseconds; nothing is kept for 0 and less */
  set(key: string, decision: Decision, ttl: number): void {
    if (ttl <= 0) return;
    this.#entries.delete(key);
    this.#entries.set(key, { decision, until: Date.now() + ttl });
    if (this.#entries.size <= LIMIT) return;
    const [oldest] = this.#entries.keys();
    this.#entries.delete(oldest as string);
  }
}
