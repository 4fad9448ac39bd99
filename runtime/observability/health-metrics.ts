import { type Counter, type Gauge, Metrics, type MetricsTable } from './metrics.ts';

/** How checks went, under the names of 1.32: shown at a path of their own, for those who may read no other figures. */
export class HealthMetrics {
  readonly metrics: Metrics;
  readonly #last: Gauge;
  readonly #all: Counter;

  constructor(table: MetricsTable) {
    this.metrics = new Metrics(table);
    this.#last = this.metrics.gauge('kubernetes_healthcheck');
    this.#all = this.metrics.counter('kubernetes_healthchecks_total');
  }

  /** @param type the endpoint, such as `livez` */
  record(name: string, type: string, holds: boolean): void {
    this.#last.set({ name, type }, holds ? 1 : 0);
    this.#all.inc({ name, status: holds ? 'success' : 'error', type });
  }
}
