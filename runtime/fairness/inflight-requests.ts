/** Requests that are answered now, of those that end by themselves: reads and writes apart. */
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

  /** the highest since it was taken last */
  take(): number {
    const { highest } = this;
    this.highest = this.now;
    return highest;
  }
}

/** As many as there were at most since somebody looked last. */
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
