/** Metrics of connections through proxies. */
import type { Metrics } from '../observability/metrics.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** A connection that is being made. */
export interface Dial {
  done(): void;
  /** @param stage `connect`: the proxy was not reached; `proxy`: it was, but did not reach the target */
  failed(stage: 'connect' | 'proxy'): void;
}

const figuresOf = (metrics: Pick<Metrics, 'counter' | 'histogram'>) => ({
  started: metrics.counter('apiserver_egress_dialer_dial_start_total'),
  seconds: metrics.histogram('apiserver_egress_dialer_dial_duration_seconds'),
  failed: metrics.counter('apiserver_egress_dialer_dial_failure_count'),
});

export class DialFigures {
  #figures: ReturnType<typeof figuresOf> | undefined;

  /** Counts from now on. Earlier connections, such as those to etcd, are not counted, because the metrics do not exist yet. */
  countIn(metrics: Pick<Metrics, 'counter' | 'histogram'>): void {
    this.#figures = figuresOf(metrics);
  }

  begin({ protocol, transport }: EgressProxy): Dial {
    const labels = { protocol, transport };
    const begun = performance.now();
    const figures = this.#figures;
    figures?.started.inc(labels);
    return {
      done: () => figures?.seconds.with(labels).observe((performance.now() - begun) / 1_000),
      failed: (stage) => figures?.failed.inc({ ...labels, stage }),
    };
  }
}
