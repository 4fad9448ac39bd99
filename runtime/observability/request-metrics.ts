/** Requests for resources, counted under the names and with the labels of 1.32. */
import type { Count, Counter, Distribution, Gauge, Histogram, Metrics } from './metrics.ts';

/** What tells requests apart, all of it from what is served, so that clients make no labels. */
export interface RequestLabels {
  /** such as `LIST` */
  readonly verb: string;
  /** `All`, or '' */
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: 'cluster' | 'namespace' | 'resource';
}

const COMPONENT = 'apiserver';

export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #sizes: Histogram;
  readonly #longRunning: Gauge;
  readonly #deprecated: Gauge;
  /** requests that last, by their labels: a resource that is served anew goes on with those of before */
  readonly #running = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();

  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#total = metrics.counter('apiserver_request_total');
    this.#duration = metrics.histogram('apiserver_request_duration_seconds');
    this.#sizes = metrics.histogram('apiserver_response_sizes');
    this.#longRunning = metrics.gauge('apiserver_longrunning_requests');
    this.#deprecated = metrics.gauge('apiserver_requested_deprecated_apis');
  }

  /** To be made once for all requests that have the same labels. */
  series({ verb, dryRun, group, version, resource, subresource, scope }: RequestLabels): RequestSeries {
    const of = { group, version, resource, subresource, scope, component: COMPONENT };
    const total = { verb, dry_run: dryRun, ...of };
    const codes = new Map<number, Count>();
    const countOf = (code: number): Count => {
      const made = this.#total.with({ ...total, code: String(code) });
      codes.set(code, made);
      return made;
    };
    const duration = this.#duration.with(total);
    const size: Distribution | undefined = verb === 'GET' || verb === 'LIST' ? this.#sizes.with({ verb, ...of }) : undefined;
    const lasting = { verb, ...of };
    const key = JSON.stringify(lasting);
    const running = this.#running.get(key) ?? { labels: lasting, count: 0 };
    this.#running.set(key, running);
    return {
      ended(code, seconds, bytes) {
        (codes.get(code) ?? countOf(code)).inc();
        duration.observe(seconds);
        size?.observe(bytes);
      },
      runs: (change) => {
        running.count += change;
        this.#longRunning.set(lasting, running.count);
      },
    };
  }

  /** Drops all that was counted of a resource, in whatever metric. */
  forget(gone: Pick<RequestLabels, 'group' | 'version' | 'resource'>): void {
    const isGone = ({ group, version, resource }: Partial<Record<string, string>>): boolean =>
      group === gone.group && version === gone.version && resource === gone.resource;
    this.#metrics.forget(isGone);
    for (const [key, { labels }] of this.#running) if (isGone(labels)) this.#running.delete(key);
  }

  /** Specification: Events, metric of deprecated APIs; it joins with the count of all requests. @param removedRelease '' where none is said */
  deprecated(of: Pick<RequestLabels, 'group' | 'version' | 'resource' | 'subresource'>, removedRelease: string): void {
    const { group, version, resource, subresource } = of;
    this.#deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
  }
}

export interface RequestSeries {
  /** @param code of HTTP. @param seconds that the request took. @param bytes of its answer's body */
  ended(code: number, seconds: number, bytes: number): void;
  /** One more long-running request has begun (1), or is over (-1). */
  runs(change: 1 | -1): void;
}
