/** Measures requests for resources. What requests of one sort are counted by is looked up once. */
import type { Metrics } from '../observability/metrics.ts';
import { type RequestLabels, RequestMetrics, type RequestSeries } from '../observability/request-metrics.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { ClientRequest } from './client-request.ts';
import { isLongRunning, type RequestInfo } from './request-info.ts';

const APPLY_PATCH = 'application/apply-patch+yaml';

/** Of verbs of the API. */
const VERBS: Readonly<Record<string, string>> = {
  create: 'POST',
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
};

export class MeasuredRequests {
  readonly #metrics: RequestMetrics;
  /** by resource, then by what else tells requests apart */
  readonly #series = new WeakMap<Resource, Map<string, RequestSeries>>();

  readonly #isServed: (group: string, version: string, resource: string) => boolean;

  /** @param registry whose resources may come and go */
  constructor(metrics: Metrics, registry: Pick<Registry, 'current' | 'onSwap'>) {
    this.#metrics = new RequestMetrics(metrics);
    this.#isServed = (...named) => registry.current.resource(...named) !== undefined;
    registry.onSwap((_current, gone) => {
      for (const {
        groupVersion: { group, version },
        groupResource: { resource },
      } of gone)
        if (!this.#isServed(group, version, resource)) this.#metrics.forget({ group, version, resource });
    });
  }

  /**
   * Measures a request from now until its answer is settled.
   * @param connects whether it goes on to something else than the API, such as the log of a pod
   * @param contentType of its body
   */
  begin(client: ClientRequest, resource: Resource, connects: boolean, contentType: string | undefined): void {
    const { info, answer, received } = client;
    const series = this.#of(resource, info, connects ? 'CONNECT' : verbOf(info, contentType));
    const runsLong = isLongRunning(info);
    if (runsLong) series.runs(1);
    answer.whenSettled(() => {
      if (!this.#isServed(info.group, info.version, info.resource)) return;
      if (runsLong) series.runs(-1);
      series.ended(answer.status, (performance.now() - received) / 1_000, answer.length);
    });
  }

  /** @param removedRelease in which the kind is no longer there; absent: it is not said */
  deprecated({ info: { group, version, resource, subresource } }: ClientRequest, removedRelease: string | undefined): void {
    this.#metrics.deprecated({ group, version, resource, subresource }, removedRelease ?? '');
  }

  #of(resource: Resource, info: RequestInfo, verb: string): RequestSeries {
    const scope = scopeOf(info);
    const dryRun = info.query.get('dryRun') === 'All' ? 'All' : '';
    const key = `${verb} ${scope} ${dryRun} ${info.subresource}`;
    let ofResource = this.#series.get(resource);
    if (ofResource === undefined) {
      ofResource = new Map();
      this.#series.set(resource, ofResource);
    }
    let series = ofResource.get(key);
    if (series === undefined) {
      const { group, version, resource: name, subresource } = info;
      series = this.#metrics.series({ verb, dryRun, group, version, resource: name, subresource, scope });
      ofResource.set(key, series);
    }
    return series;
  }
}

function verbOf({ verb }: RequestInfo, contentType: string | undefined): string {
  return verb === 'patch' && contentType === APPLY_PATCH ? 'APPLY' : (VERBS[verb] ?? 'other');
}

/** As 1.32 has it: a create is about the object that it makes. */
function scopeOf({ verb, name, namespace }: RequestInfo): RequestLabels['scope'] {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
