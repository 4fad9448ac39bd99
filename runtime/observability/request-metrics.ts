/** Metrics of requests, with the names and labels of 1.32. */
import type { Count, Counter, Distribution, Gauge, Histogram, Metrics } from './metrics.ts';

/** The labels of requests. All values come from what is served, so that clients cannot make up labels. */
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
  /** what the request does, if its body is measured; absent: it has no such body */
  readonly bodyVerb?: string | undefined;
  /** the value in the query, one of a few; default: '' */
  readonly fieldValidation?: string;
}

/** The outcome of a request that went on after its time was over. */
export interface AfterTimeout {
  /** what waits for it in 1.32: whoever limits the request, or the handler of a write */
  readonly source: 'timeout-handler' | 'rest-handler';
  readonly status: 'ok' | 'error' | 'panic' | 'pending';
}

const COMPONENT = 'apiserver';

export class RequestMetrics {
  readonly #total: Counter;
  readonly #duration: Histogram;
  readonly #sizes: Histogram;
  readonly #bodySizes: Histogram;
  readonly #sli: Histogram;
  readonly #own: Counter;
  readonly #fieldValidation: Histogram;
  readonly #terminations: Counter;
  readonly #aborts: Counter;
  readonly #afterTimeouts: Counter;
  readonly #longRunning: Gauge;
  readonly #deprecated: Gauge;
  /** long-running requests by their labels; a resource that is served again continues the former count */
  readonly #running = new Map<string, { readonly labels: Readonly<Record<string, string>>; count: number }>();

  readonly #metrics: Metrics;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#total = metrics.counter('apiserver_request_total');
    this.#duration = metrics.histogram('apiserver_request_duration_seconds');
    this.#sizes = metrics.histogram('apiserver_response_sizes');
    this.#bodySizes = metrics.histogram('apiserver_request_body_size_bytes');
    this.#sli = metrics.histogram('apiserver_request_sli_duration_seconds');
    this.#own = metrics.counter('apiserver_selfrequest_total');
    this.#fieldValidation = metrics.histogram('field_validation_request_duration_seconds');
    this.#terminations = metrics.counter('apiserver_request_terminations_total');
    this.#aborts = metrics.counter('apiserver_request_aborts_total');
    this.#afterTimeouts = metrics.counter('apiserver_request_post_timeout_total');
    this.#longRunning = metrics.gauge('apiserver_longrunning_requests');
    this.#deprecated = metrics.gauge('apiserver_requested_deprecated_apis');
  }

  /** Should be called once for all requests with the same labels. */
  series({ verb, dryRun, group, version, resource, subresource, scope, bodyVerb, fieldValidation = '' }: RequestLabels): RequestSeries {
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
    const sli = this.#sli.with(lasting);
    const byFieldValidation = this.#fieldValidation.with({ field_validation: fieldValidation });
    const own = this.#own.with({ verb, resource, subresource });
    const bodySize =
      bodyVerb === undefined
        ? undefined
        : this.#bodySizes.with({ resource: group === '' ? resource : `${resource}.${group}`, verb: bodyVerb });
    const key = JSON.stringify(lasting);
    const running = this.#running.get(key) ?? { labels: lasting, count: 0 };
    this.#running.set(key, running);
    return {
      ended(code, seconds, elsewhere, bytes, bodyBytes) {
        (codes.get(code) ?? countOf(code)).inc();
        duration.observe(seconds);
        sli.observe(seconds - elsewhere);
        byFieldValidation.observe(seconds);
        size?.observe(bytes);
        if (bodyBytes !== undefined) bodySize?.observe(bodyBytes);
      },
      byServer: () => own.inc(),
      terminated: (code) => this.#terminations.inc({ ...lasting, code: String(code) }),
      aborted: () => {
        const { component: _, ...aborted } = lasting;
        this.#aborts.inc(aborted);
      },
      runs: (change) => {
        running.count += change;
        this.#longRunning.set(lasting, running.count);
      },
    };
  }

  afterTimeout({ source, status }: AfterTimeout): void {
    this.#afterTimeouts.inc({ source, status });
  }

  /** Drops all that was counted of a resource, in whatever metric. @param inOthers whether other versions of it are served, with which it shares some */
  forget(gone: Pick<RequestLabels, 'group' | 'version' | 'resource'> & { readonly kind: string }, inOthers: boolean): void {
    const inAll = inOthers ? undefined : `${gone.resource}.${gone.group}`;
    const isGone = ({ group, version, resource, kind }: Partial<Record<string, string>>): boolean => {
      if (group === undefined && version === undefined) return resource !== undefined && resource === inAll;
      return (
        group === gone.group && version === gone.version && (resource === gone.resource || (resource === undefined && kind === gone.kind))
      );
    };
    this.#metrics.forget(isGone);
    for (const [key, { labels }] of this.#running) if (isGone(labels)) this.#running.delete(key);
  }

  /** Requests for a path that is no resource, one of few. @returns counts one that was answered */
  path(path: string): (code: number, seconds: number) => void {
    const of = { verb: 'GET', dry_run: '', group: '', version: '', resource: '', subresource: path, scope: '', component: '' };
    const codes = new Map<number, Count>();
    const duration = this.#duration.with(of);
    return (code, seconds) => {
      const count = codes.get(code) ?? this.#total.with({ ...of, code: String(code) });
      codes.set(code, count);
      count.inc();
      duration.observe(seconds);
    };
  }

  /** Specification: Events, metric of deprecated APIs; it joins with the count of all requests. @param removedRelease '' where none is said */
  deprecated(of: Pick<RequestLabels, 'group' | 'version' | 'resource' | 'subresource'>, removedRelease: string): void {
    const { group, version, resource, subresource } = of;
    this.#deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
  }
}

export interface RequestSeries {
  /**
   * @param code of HTTP. @param seconds that the request took. @param elsewhere those of them in which it waited for its turn, or for webhooks
   * @param bytes of its answer's body. @param bodyBytes of its own body; undefined where none was read
   */
  ended(code: number, seconds: number, elsewhere: number, bytes: number, bodyBytes: number | undefined): void;
  /** Counts a request of an API server. */
  byServer(): void;
  /** The server has ended the request because its time was over or it has failed. @param code of HTTP */
  terminated(code: number): void;
  /** The server has broken off its answer, which had begun. */
  aborted(): void;
  /** One more long-running request has begun (1), or is over (-1). */
  runs(change: 1 | -1): void;
}
