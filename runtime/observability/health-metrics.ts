import { type Counter, type Gauge, Metrics, type MetricsTable } from './metrics.ts';

/** The results of health checks, under the names of 1.32. They have a path of their own, for people who may not read the other metrics. */
export class HealthMetrics {
  readonly metrics: Metrics;
  readonly #last: Gauge;
  readonly #all: Counter;

  constructor(table: MetricsTable) {
    this.metrics = new Metrics(table);
    this.#last = this.metrics.gauge('kubernetes_healthcheck');
    this.#all = this.metrics.counter('kubernetes_healthchecks_total');
  }

  /** Counts the result of a check. @param name the name of the check. @param type the endpoint that ran it, such as `livez` */
  record(name: string, type: string, holds: boolean): void {
    this.#last.set({ name, type }, holds ? 1 : 0);
    this.#all.inc({ name, status: holds ? 'success' : 'error', type });
  }
}
