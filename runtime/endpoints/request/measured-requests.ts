/** Measures requests for resources. What requests of one sort are counted by is looked up once. */

import { eachInTurns } from '../../event-loop/turns.ts';
import { ListMetrics, type ListSeries } from '../../observability/list-metrics.ts';
import type { Metrics } from '../../observability/metrics.ts';
import { type AfterTimeout, RequestMetrics, type RequestSeries } from '../../observability/request-metrics.ts';
import { WatchMetrics, type WatchSeries } from '../../observability/watch-metrics.ts';
import type { ObjectList } from '../../registry/lists/list.ts';
import type { Registry } from '../../registry/resources/registry.ts';
import type { RegistrySnapshot } from '../../registry/resources/registry-snapshot.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { resourceText } from '../../status/status.ts';
import type { ClientRequest } from './client-request.ts';
import { isLongRunning, type RequestInfo } from './request-info.ts';
import { scopeOf, verbOf } from './request-labels.ts';

/** The labels of the verbs whose requests have bodies. */
const BODY_VERBS: Readonly<Record<string, string>> = {
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'delete-collection',
};

/** The name of the user that API servers have. */
const API_SERVER = 'system:apiserver';

const FIELD_VALIDATIONS: ReadonlySet<string> = new Set(['', 'Ignore', 'Strict', 'Warn']);

export class MeasuredRequests {
  readonly #metrics: RequestMetrics;
  readonly #watchMetrics: WatchMetrics;
  readonly #listMetrics: ListMetrics;
  readonly #lists = new WeakMap<Resource, ListSeries>();
  readonly #watches = new WeakMap<Resource, WatchSeries>();
  /** the series by resource, then by everything else that distinguishes requests */
  readonly #series = new WeakMap<Resource, Map<string, RequestSeries>>();

  readonly #isServed: (group: string, version: string, resource: string) => boolean;

  /** @param registry whose resources may come and go */
  constructor(metrics: Metrics, registry: Pick<Registry, 'current' | 'onSwap'>) {
    this.#metrics = new RequestMetrics(metrics);
    this.#isServed = (...named) => registry.current.resource(...named) !== undefined;
    registry.onSwap((_current, gone) => {
      // of many the rest is forgotten a little later
      void eachInTurns(gone, (each) => this.#forget(each, registry.current));
    });
    this.#listMetrics = new ListMetrics(metrics);
    this.#watchMetrics = new WatchMetrics(metrics);
  }

  #forget({ groupVersion: { group, version }, groupResource: { resource }, data }: Resource, current: RegistrySnapshot): void {
    if (current.resource(group, version, resource) !== undefined) return;
    const inOthers = data.storage !== undefined && current.storedAt(data.storage.prefix) !== undefined;
    this.#metrics.forget({ group, version, resource, kind: data.kind }, inOthers);
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
      const { secondsElsewhere, body } = client;
      if (client.user?.name === API_SERVER) series.byServer();
      series.ended(answer.status, (performance.now() - received) / 1_000, secondsElsewhere, answer.length, body?.length);
    });
    client.series = series;
  }

  /** Makes a function that measures a request for a path which is no resource, until its answer is settled. There must be only a few such paths. */
  path(path: string): (client: ClientRequest) => void {
    const ended = this.#metrics.path(path);
    return ({ answer, received }) => answer.whenSettled(() => ended(answer.status, (performance.now() - received) / 1_000));
  }

  /** A request that went on when its time was over has come to its end, or is waited for no longer. */
  afterTimeout(source: AfterTimeout['source'], status: AfterTimeout['status']): void {
    this.#metrics.afterTimeout({ source, status });
  }

  /** What all watches of a resource are counted by. */
  watches(resource: Resource): WatchSeries {
    let series = this.#watches.get(resource);
    if (series === undefined) {
      const { group, version } = resource.groupVersion;
      series = this.#watchMetrics.series({ group, version, kind: resource.data.kind, resource: resource.data.name });
      this.#watches.set(resource, series);
    }
    return series;
  }

  /** A list was read to its end. */
  listRead(resource: Resource, { looked, count }: Pick<ObjectList, 'looked' | 'count'>): void {
    let series = this.#lists.get(resource);
    if (series === undefined) {
      series = this.#listMetrics.series(resourceText(resource.groupResource));
      this.#lists.set(resource, series);
    }
    series.read(looked, count);
  }

  /** A state was sent whole, as a list that streams. */
  listed({ info, received }: ClientRequest, resource: Resource): void {
    this.watches(resource).listed(scopeOf(info), (performance.now() - received) / 1_000);
  }

  /** @param removedRelease in which the kind is no longer there; absent: it is not said */
  deprecated({ info: { group, version, resource, subresource } }: ClientRequest, removedRelease: string | undefined): void {
    this.#metrics.deprecated({ group, version, resource, subresource }, removedRelease ?? '');
  }

  #of(resource: Resource, info: RequestInfo, verb: string): RequestSeries {
    const scope = scopeOf(info);
    const dryRun = info.query.get('dryRun') === 'All' ? 'All' : '';
    const fieldValidation = fieldValidationOf(info);
    const key = `${verb} ${scope} ${dryRun} ${fieldValidation} ${info.subresource}`;
    let ofResource = this.#series.get(resource);
    if (ofResource === undefined) {
      ofResource = new Map();
      this.#series.set(resource, ofResource);
    }
    let series = ofResource.get(key);
    if (series === undefined) {
      const { group, version, resource: name, subresource } = info;
      const bodyVerb = BODY_VERBS[info.verb];
      series = this.#metrics.series({ verb, dryRun, group, version, resource: name, subresource, scope, bodyVerb, fieldValidation });
      ofResource.set(key, series);
    }
    return series;
  }
}

/** Returns the label for `fieldValidation`, which is the same for all values that do not exist. */
function fieldValidationOf({ query }: RequestInfo): string {
  const asked = query.get('fieldValidation') ?? '';
  return FIELD_VALIDATIONS.has(asked) ? asked : 'invalid';
}
