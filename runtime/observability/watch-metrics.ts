/** Metrics of what watches send, with the names of 1.32. */
import type { Counter, Histogram, Metrics } from './metrics.ts';

export interface WatchLabels {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly resource: string;
}

/** The counts of all watches of one resource. */
export interface WatchSeries {
  /** Counts an event for a client. @param bytes its length in the form that the client gets */
  sent(bytes: number): void;
  /** Counts the initial objects of a watch that were sent. */
  sentState(objects: number): void;
  /** Counts a watch that was ended because its client did not read it. */
  terminated(): void;
  /** Notes that all initial objects were sent. @param seconds since the request arrived */
  listed(scope: string, seconds: number): void;
}

export class WatchMetrics {
  readonly #events: Counter;
  readonly #sizes: Histogram;
  readonly #initial: Counter;
  readonly #terminated: Counter;
  readonly #listed: Histogram;

  constructor(metrics: Metrics) {
    this.#events = metrics.counter('apiserver_watch_events_total');
    this.#sizes = metrics.histogram('apiserver_watch_events_sizes');
    this.#initial = metrics.counter('apiserver_init_events_total');
    this.#terminated = metrics.counter('apiserver_terminated_watchers_total');
    this.#listed = metrics.histogram('apiserver_watch_list_duration_seconds');
  }

  /** Looks the series up, which should be done once for all watches of a resource. */
  series({ group, version, kind, resource }: WatchLabels): WatchSeries {
    const named = { resource: group === '' ? resource : `${resource}.${group}` };
    const events = this.#events.with({ group, version, kind });
    const sizes = this.#sizes.with({ group, version, kind });
    const initial = this.#initial.with(named);
    return {
      sent(bytes) {
        events.inc();
        sizes.observe(bytes);
      },
      sentState: (objects) => initial.inc(objects),
      terminated: () => this.#terminated.inc(named),
      listed: (scope, seconds) => this.#listed.with({ group, version, resource, scope }).observe(seconds),
    };
  }
}
