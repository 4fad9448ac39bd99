import { Metrics } from './metrics.ts';

/** How checks went, under the names of 1.32: shown at a path of their own, for those who may read no other figures. */
export class HealthMetrics {
  readonly metrics = new Metrics();
  readonly #last = this.metrics.gauge('kubernetes_healthcheck', 'Whether a check held when it was made last: 1 or 0.', ['name', 'type']);
  readonly #all = this.metrics.counter('kubernetes_healthchecks_total', 'Checks that were made, by outcome.', ['name', 'status', 'type']);

  /** @param type the endpoint, such as `livez` */
  record(name: string, type: string, holds: boolean): void {
    this.#last.set({ name, type }, holds ? 1 : 0);
    this.#all.inc({ name, status: holds ? 'success' : 'error', type });
  }
}
