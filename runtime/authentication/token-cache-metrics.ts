/** Metrics of the cache of answers about tokens, with the names of 1.32. */
import type { Metrics } from '../observability/metrics.ts';

type CacheFigures = Pick<Metrics, 'counter' | 'gauge' | 'histogram'>;
type Active = 'in_flight' | 'blocked';

const NAMES = 'authentication_token_cache_';

export class TokenCacheMetrics {
  readonly #requests: ReturnType<CacheFigures['counter']>;
  readonly #durations: ReturnType<CacheFigures['histogram']>;
  readonly #fetches: ReturnType<CacheFigures['counter']>;
  readonly #active: ReturnType<CacheFigures['gauge']>;
  readonly #now: Record<Active, number> = { in_flight: 0, blocked: 0 };

  constructor(metrics: CacheFigures) {
    this.#requests = metrics.counter(`${NAMES}request_total`);
    this.#durations = metrics.histogram(`${NAMES}request_duration_seconds`);
    this.#fetches = metrics.counter(`${NAMES}fetch_total`);
    this.#active = metrics.gauge(`${NAMES}active_fetch_count`);
  }

  /** Counts a look-up that has ended. @param isKnown whether the answer was in the cache */
  async request<T>(isKnown: boolean, answered: Promise<T>): Promise<T> {
    const labels = { status: isKnown ? 'hit' : 'miss' };
    const began = performance.now();
    if (!isKnown) this.#change('blocked', 1);
    try {
      return await answered;
    } finally {
      if (!isKnown) this.#change('blocked', -1);
      this.#requests.inc(labels);
      this.#durations.with(labels).observe((performance.now() - began) / 1_000);
    }
  }

  /** Counts a question to the service, which several requests may share. @throws what `asked` rejects with */
  async fetch<T>(asked: Promise<T>): Promise<T> {
    this.#change('in_flight', 1);
    let status = 'error';
    try {
      const answer = await asked;
      status = 'ok';
      return answer;
    } finally {
      this.#change('in_flight', -1);
      this.#fetches.inc({ status });
    }
  }

  #change(status: Active, by: number): void {
    this.#now[status] += by;
    this.#active.set({ status }, this.#now[status]);
  }
}
