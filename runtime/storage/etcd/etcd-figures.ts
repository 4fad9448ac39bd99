/** Metrics of requests to etcd, with the names of 1.32. */
import { resourcePrefix, type StoreMetrics } from '../storage.ts';

/** Names of operations, as in 1.32. */
export type EtcdOperation = 'get' | 'create' | 'update' | 'delete';

/** The metrics of one operation on one resource. */
interface Row {
  readonly requests: { inc(): void };
  readonly errors: { inc(): void };
  readonly seconds: { observe(value: number): void };
}

export class EtcdFigures {
  readonly #typeOf: (prefix: string) => string;
  readonly #rows = new Map<string, Row>();
  /** the counts of events by the prefix of their keys */
  readonly #events = new Map<string, { inc(): void }>();
  #metrics: StoreMetrics | undefined;
  /** the generation of the metrics in which all of them were looked up */
  #generation = 0;

  /** @param typeOf gives the name of a resource by the prefix of its keys */
  constructor(typeOf: (prefix: string) => string) {
    this.#typeOf = typeOf;
  }

  /** Shows the metrics from now on. Requests before this call are not counted. */
  show(metrics: StoreMetrics): void {
    this.#metrics = metrics;
  }

  /** Counts a request to etcd about a key ('': about none). */
  async count<T>(operation: EtcdOperation, key: string, request: Promise<T>): Promise<T> {
    const metrics = this.#metrics;
    if (metrics === undefined) return request;
    const begun = performance.now();
    const row = this.#row(metrics, operation, key === '' ? '' : resourcePrefix(key));
    row.requests.inc();
    try {
      return await request;
    } catch (error) {
      row.errors.inc();
      throw error;
    } finally {
      row.seconds.observe((performance.now() - begun) / 1_000);
    }
  }

  /** Counts the keys of a lease, when no more keys will get it. */
  countKeysOfLease(keys: number): void {
    const metrics = this.#metrics;
    if (metrics !== undefined) metrics.histogram('etcd_lease_object_counts').with({}).observe(keys);
  }

  /** Counts a change that the watch has told. */
  countEvent(key: string): void {
    const metrics = this.#metrics;
    if (metrics === undefined) return;
    const prefix = resourcePrefix(key);
    if (metrics.generation !== this.#generation) this.#lookAgain(metrics);
    let events = this.#events.get(prefix);
    if (events === undefined) {
      events = metrics.counter('apiserver_storage_events_received_total').with({ resource: this.#typeOf(prefix) });
      this.#events.set(prefix, events);
    }
    events.inc();
  }

  /** Resources that were removed leave nothing behind, and those that are there count on. */
  #lookAgain({ generation }: StoreMetrics): void {
    this.#rows.clear();
    this.#events.clear();
    this.#generation = generation;
  }

  #row(metrics: StoreMetrics, operation: EtcdOperation, prefix: string): Row {
    if (metrics.generation !== this.#generation) this.#lookAgain(metrics);
    const name = `${operation} ${prefix}`;
    const known = this.#rows.get(name);
    if (known !== undefined) return known;
    const labels = { operation, type: this.#typeOf(prefix) };
    const row = {
      requests: metrics.counter('etcd_requests_total').with(labels),
      errors: metrics.counter('etcd_request_errors_total').with(labels),
      seconds: metrics.histogram('etcd_request_duration_seconds').with(labels),
    };
    this.#rows.set(name, row);
    return row;
  }
}
