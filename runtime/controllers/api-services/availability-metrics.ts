/** Counts the servers of APIServices that cannot be used, under the names of 1.32. */
import type { ApiObject } from '../../contract/object.ts';
import type { Counter, Gauge, Metrics } from '../../observability/metrics.ts';
import { type Condition, statusOf } from '../conditions/conditions.ts';

export class AvailabilityMetrics {
  readonly #unavailable: Gauge;
  readonly #total: Counter;

  constructor(metrics: Metrics) {
    this.#unavailable = metrics.gauge('aggregator_unavailable_apiservice');
    this.#total = metrics.counter('aggregator_unavailable_apiservice_total');
  }

  /** @param object the APIService with its condition of before */
  record(object: ApiObject, { type, status, reason }: Condition): void {
    const { name = '' } = object.metadata;
    const isAvailable = status === 'True';
    this.#unavailable.set({ name }, isAvailable ? 0 : 1);
    if (!isAvailable && statusOf(object, type) === 'True') this.#total.inc({ name, reason });
  }

  /** Shows an APIService no longer that does not exist any more, or that this server answers now. */
  forget(name: string): void {
    this.#unavailable.remove({ name });
  }
}
