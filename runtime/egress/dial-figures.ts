/** Figures of connections that proxies are asked for. */
import type { Metrics } from '../observability/metrics.ts';
import type { EgressProxy } from './egress-proxy.ts';

/** One that is being made. */
export interface Dial {
  done(): void;
  /** @param stage whether the proxy was not reached, or did not lead any further */
  failed(stage: 'connect' | 'proxy'): void;
}

const figuresOf = (metrics: Pick<Metrics, 'counter' | 'histogram'>) => ({
  started: metrics.counter('apiserver_egress_dialer_dial_start_total'),
  seconds: metrics.histogram('apiserver_egress_dialer_dial_duration_seconds'),
  failed: metrics.counter('apiserver_egress_dialer_dial_failure_count'),
});

export class DialFigures {
  #figures: ReturnType<typeof figuresOf> | undefined;

  /** What comes before is not counted: connections to etcd are made before there are figures. */
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
