/** Counts the requests that run or wait now, reads and writes apart. Long-running requests are not counted. */
import type { Metrics } from '../observability/metrics.ts';

export type RequestKind = 'readOnly' | 'mutating';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

export const kindOfVerb = (verb: string): RequestKind => (READS.has(verb) ? 'readOnly' : 'mutating');

class Watermark {
  now = 0;
  highest = 0;

  add(): void {
    this.now++;
    if (this.now > this.highest) this.highest = this.now;
  }

  remove(): void {
    this.now--;
  }

  /** @returns the highest value since the last call */
  take(): number {
    const { highest } = this;
    this.highest = this.now;
    return highest;
  }
}

/** Shows in the metrics the highest number of requests since the last scrape, as 1.32 does. */
export class CountedRequests {
  readonly readOnly = new Watermark();
  readonly mutating = new Watermark();

  constructor(metrics: Metrics, what: 'inflight' | 'inqueue') {
    const gauge = metrics.gauge(`apiserver_current_${what}_requests`);
    metrics.beforeScrape(() => {
      for (const kind of ['readOnly', 'mutating'] as const) gauge.set({ request_kind: kind }, this[kind].take());
    });
  }
}
