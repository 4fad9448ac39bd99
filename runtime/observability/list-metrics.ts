/** Metrics of what lists read from the store, with the names of 1.32. */
import type { Counter, Metrics } from './metrics.ts';

/** The counts of all lists of one resource. */
export interface ListSeries {
  /** Counts a list. @param looked objects that were read and examined. @param count objects in the list */
  read(looked: number, count: number): void;
}

export class ListMetrics {
  readonly #lists: Counter;
  readonly #fetched: Counter;
  readonly #evaluated: Counter;
  readonly #returned: Counter;

  constructor(metrics: Pick<Metrics, 'counter'>) {
    const counter = (name: string): Counter => metrics.counter(`apiserver_storage_list_${name}`);
    this.#lists = counter('total');
    this.#fetched = counter('fetched_objects_total');
    this.#evaluated = counter('evaluated_objects_total');
    this.#returned = counter('returned_objects_total');
  }

  /** Looks the series up, which should be done once for all lists of a resource. @param resource such as `deployments.apps` */
  series(resource: string): ListSeries {
    const labels = { resource };
    const [lists, fetched, evaluated, returned] = [
      this.#lists.with(labels),
      this.#fetched.with(labels),
      this.#evaluated.with(labels),
      this.#returned.with(labels),
    ];
    return {
      read(looked, count) {
        lists.inc();
        fetched.inc(looked);
        evaluated.inc(looked);
        returned.inc(count);
      },
    };
  }
}
