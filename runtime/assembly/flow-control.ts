/** Flow control of one process, with the objects that it follows. */
import type { FairTurns } from '../chain/fair-turns.ts';
import type { FlowDumps } from '../endpoints/handlers/pages/flow-dumps.ts';
import type { ClientRequest } from '../endpoints/request/client-request.ts';
import { REAL_TIME } from '../fairness/flow-clock.ts';
import { FlowControl } from '../fairness/flow-control.ts';
import { ObjectCounts } from '../fairness/object-counts.ts';
import { UnreadAnswers } from '../fairness/unread-answers.ts';
import { type Resource, watchedOf } from '../registry/resources/resource.ts';
import { storagePrefix } from '../registry/resources/resource-keys.ts';
import type { ApiServer } from './parts/api-server.ts';
import type { Flags } from './setup/flags.ts';

export interface ServedTurns extends FairTurns {
  /** absent: there are no priority levels */
  readonly levels?: FlowDumps;
  close(): void;
}

/** A request without a timeout of its own may wait for its turn for this part of --request-timeout (1/4). */
const PART_FOR_WAITING = 4;

/**
 * Requests of one level that wait for the event loop at a time. If there were more, they would run in order of arrival instead of taking
 * fair turns.
 */
const MOST_STARTING = 2;

/** @throws Error that names the flags, if their limits leave no seats */
export async function flowControlOf(server: ApiServer, flags: Flags, isAggregated: boolean): Promise<ServedTurns> {
  const [readOnly, mutating] = [flags['max-requests-inflight'], flags['max-mutating-requests-inflight']];
  const perProcess = (limit: number): number => Math.ceil(limit / flags.workers);
  const unread = new UnreadAnswers(REAL_TIME);
  // an aggregated server has no priority levels: the delegating server applies its own before it passes requests on
  if (!flags['enable-priority-and-fairness'] || isAggregated) {
    const { InflightLimits } = await import('../fairness/inflight-limits.ts');
    const limits = { readOnly: perProcess(readOnly), mutating: perProcess(mutating) };
    return { turns: new InflightLimits(limits, server.metrics, unread), unread, close: () => unread.close() };
  }
  if (readOnly + mutating === 0)
    throw new Error(
      '--max-requests-inflight and --max-mutating-requests-inflight must add up to something positive, unless --enable-priority-and-fairness=false',
    );
  const control = new FlowControl<ClientRequest>({
    seats: perProcess(readOnly + mutating),
    schemas: server.followed('flowschemas'),
    levels: server.followed('prioritylevelconfigurations'),
    work: workSource(server),
    unread,
    patience: flags['request-timeout'] / PART_FOR_WAITING,
    metrics: server.metrics,
    mostStarting: MOST_STARTING,
  });
  const close = (): void => {
    control.close();
    unread.close();
  };
  return { turns: control, unread, levels: control.levels, close };
}

function workSource({ storage, watchHub, featureEnabled }: ApiServer) {
  const counts = new ObjectCounts(storage);
  const resourceOf = ({ registry, info }: ClientRequest): Resource | undefined =>
    registry.resource(info.group, info.version, info.resource);
  return {
    consistentFromCache: featureEnabled('ConsistentListFromCache'),
    objects(request: ClientRequest): number | undefined {
      const resource = resourceOf(request);
      if (resource?.data.storage === undefined) return undefined;
      return counts.of(storagePrefix(resource, request.info.namespace));
    },
    watchers(request: ClientRequest): number {
      const resource = resourceOf(request);
      return resource === undefined ? 0 : watchHub.watchersOf(watchedOf(resource), request.info.namespace, request.info.name);
    },
  };
}
