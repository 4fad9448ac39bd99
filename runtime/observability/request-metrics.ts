/** Metrics of requests, with the names and labels of 1.32. */
import type { Count, Counter, Distribution, Gauge, Histogram, Metrics } from './metrics.ts';

/** The labels of requests. All values come from what is served, so that clients cannot make up labels. */
export interface RequestLabels {
  /** such as `LIST` */
  readonly verb: string;
  /** `All` for a dry run, otherwise empty */
  readonly dryRun: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: 'cluster' | 'namespace' | 'resource';
  /** what the request does, if its body is measured; absent: it has no such body */
  readonly bodyVerb?: string | undefined;
  /** the value of `fieldValidation` in the query, if it is one of those that exist; default: empty */
  readonly fieldValidation?: string;
}

/** The outcome of a request whose work went on after its deadline. */
export interface AfterTimeout {
  /** which part of 1.32 waits for the outcome: the filter that limits requests, or the handler of a write */
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

  /**
   * Drops all series of a resource that is no longer served, in all metrics.
   * @param inOthers whether other versions of the resource are still served: then the series without a version stay, which all versions share
   */
  forget(gone: Pick<RequestLabels, 'group' | 'version' | 'resource'> & { readonly kind: string }, inOthers: boolean): void {
    const inAll = inOthers ? undefined : `${gone.resource}.${gone.group}`;
    const isGone = ({ group, version, kind, ...others }: Partial<Record<string, string>>): boolean => {
      // metrics of requests to etcd name a resource in `type`, those of conversions a definition
      const { type, crd_name: definition, resource = definition ?? type } = others;
      if (group === undefined && version === undefined) return resource !== undefined && resource === inAll;
      return (
        group === gone.group && version === gone.version && (resource === gone.resource || (resource === undefined && kind === gone.kind))
      );
    };
    this.#metrics.forget(isGone);
    for (const [key, { labels }] of this.#running) if (isGone(labels)) this.#running.delete(key);
  }

  /** Looks up the series of a path that is no resource; there must be only a few such paths. @returns a function that counts an answered request */
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

  /**
   * Notes that a deprecated API was requested (specification: Events, metric of deprecated APIs). Its labels are those of the count of all requests.
   * @param removedRelease the release without the API; empty if it is not known
   */
  deprecated(of: Pick<RequestLabels, 'group' | 'version' | 'resource' | 'subresource'>, removedRelease: string): void {
    const { group, version, resource, subresource } = of;
    this.#deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
  }
}

/** The counts of all requests with the same labels. */
export interface RequestSeries {
  /**
   * Counts a request that has ended.
   * @param code the status code of the answer
   * @param seconds the time that the request took
   * @param elsewhere the part of that time, in seconds, in which it waited for its turn or for webhooks
   * @param bytes the length of the answer's body
   * @param bodyBytes the length of the request's own body; undefined if none was read
   */
  ended(code: number, seconds: number, elsewhere: number, bytes: number, bodyBytes: number | undefined): void;
  /** Counts a request of an API server. */
  byServer(): void;
  /** Counts a request that the server has ended because its time was over or because it has failed. @param code the status code that its client was told */
  terminated(code: number): void;
  /** Counts an answer that the server has broken off after it had begun. */
  aborted(): void;
  /** Counts a long-running request that has begun (1), or that is over (-1). */
  runs(change: 1 | -1): void;
}
