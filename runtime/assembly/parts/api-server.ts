/** The parts of a running server, which are assembled once and never change. Code that needs some of them names these in an interface of its own. */
import type { Followed } from '../../admission/plugin-interface/plugin.ts';
import type { Aggregation } from '../../aggregation/aggregation.ts';
import type { ChainServer } from '../../chain/chain-parts.ts';
import { chosenFor, OWN_WORK, type Waiting } from '../../contract/request-context.ts';
import type { ControllerServer } from '../../controllers/controller/controller-server.ts';
import { SharedRuns } from '../../endpoints/answers/shared-items.ts';
import { ByteBudget } from '../../endpoints/bodies/byte-budget.ts';
import { LIST_BUDGET, SPOOL_BUDGET } from '../../endpoints/lists/list-budgets.ts';
import type { LongRequests } from '../../endpoints/long-body.ts';
import type { LongForms } from '../../endpoints/long-form.ts';
import { BODY_BUDGET } from '../../endpoints/read-body.ts';
import { MeasuredRequests } from '../../endpoints/request/measured-requests.ts';
import type { RecordedRange } from '../../registry/allocation/allocation-figures.ts';
import { FieldManagers } from '../../registry/resource-store/field-managers.ts';
import { type LongWork, ResourceStores } from '../../registry/resource-store/resource-stores.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { metadataProblem } from '../../schema/codec/codec.ts';

export interface ApiServer extends ChainServer, ControllerServer {
  readonly longRequests?: LongRequests | undefined;
  readonly aggregation: Aggregation;
  readonly latestRegistry: ChainServer['latestRegistry'];
  readonly metrics: ChainServer['metrics'];
  /** reads the allocated ranges of service addresses and ports */
  readonly recordedRanges?: () => readonly RecordedRange[];
  /** the current objects of a resource of which a cluster has few; they are brought up to date by `latestRegistry` */
  readonly followed: (resource: string) => Followed;
  /** see `forOwnWork` */
  ownStore: ControllerServer['store'];
}

/** The same server for its own work. Its stores and lookups read objects of any length on this thread. */
export const forOwnWork = (server: ApiServer): ApiServer => ({ ...server, store: server.ownStore, objects: server.objects.forOwnWork() });

/** The parts that `createApiServer` derives from the other ones. */
type MadeParts =
  | 'measured'
  | 'ownStore'
  | 'bodyBudget'
  | 'store'
  | 'fieldManagers'
  | 'listBudget'
  | 'spoolBudget'
  | 'sharedRuns'
  | 'ruleContext';

export interface ApiServerParts extends Omit<ApiServer, MadeParts> {
  /** see `RuleContext` */
  readonly allowsPrivileged: boolean;
  /** see `RuleContext` */
  readonly explainsCosts: boolean;
}

export function createApiServer(parts: ApiServerParts): ApiServer {
  const { longRequests } = parts;
  const own = ownStores(parts);
  const stores =
    longRequests === undefined ? own : new ResourceStores(parts.storage, parts.deletion, { ...longWork(parts), readsLong: false });
  const { identity, allocator, allowsPrivileged, explainsCosts, featureEnabled, metrics } = parts;
  const rules = {
    count: (metric: string, labels: Readonly<Record<string, string>>) => metrics.counter(metric).inc(labels),
    distribution: (metric: string) => metrics.histogram(metric).with({}),
    text: identity.text,
    allocator,
    allowsPrivileged,
    explainsCosts,
    featureEnabled,
    metadataProblem: metadataProblems(parts),
  };
  return {
    ...parts,
    fieldManagers: new FieldManagers(parts.identity),
    bodyBudget: new ByteBudget(BODY_BUDGET),
    measured: new MeasuredRequests(parts.metrics, parts.registry),
    listBudget: new ByteBudget(LIST_BUDGET),
    spoolBudget: new ByteBudget(SPOOL_BUDGET),
    sharedRuns: new SharedRuns(),
    ruleContext: (dryRun, request = OWN_WORK) => ({ ...rules, now: () => chosenFor(request, 'now', Date.now), dryRun, request }),
    store: (resource) => stores.of(resource),
    ownStore: (resource) => own.of(resource),
  };
}

type StoreParts = Pick<ApiServer, 'storage' | 'deletion' | 'longRequests'>;

const longWork = ({ longRequests }: StoreParts): LongWork => ({ convertLong: longRequests && convertElsewhere(longRequests) });

const ownStores = (parts: StoreParts): ResourceStores => new ResourceStores(parts.storage, parts.deletion, longWork(parts));

/** The same server for its own work, over another storage of the same objects. @param by the parts that replace the server's own */
export function ownWorkOver(server: ApiServer, by: Pick<ApiServer, 'storage' | 'longRequests'>): ApiServer {
  const over = { ...server, ...by };
  const stores = ownStores(over);
  const store: ApiServer['store'] = (resource) => stores.of(resource);
  return { ...over, store, ownStore: store };
}

const PLAIN = { encoding: 'json', transform: 'none', transformVersion: '', pretty: false } as const;

const convertElsewhere =
  (forms: LongForms) =>
  ({ groupVersion: { group, version }, data }: Resource, value: Buffer, { signal }: Waiting = OWN_WORK): Promise<Buffer> =>
    forms.form(
      { place: { group, version, resource: data.name, negotiated: PLAIN }, form: 'converted', value },
      { signal, user: undefined },
    );

/**
 * Makes the check whether a value is valid metadata. All kinds share one type of metadata. It is taken from the kind
 * CustomResourceDefinition, because only rules of that kind use the check, so that an idle server need not load any types.
 */
function metadataProblems({ registry, identity }: ApiServerParts): (value: unknown) => string | undefined {
  const group = identity.text('apiextensions.${groupDomain}');
  return (value) => {
    const fields = registry.current.loadedHub(group, 'v1', 'CustomResourceDefinition')?.data.type.fields;
    const type = fields?.find(({ name }) => name === 'metadata')?.type;
    if (type?.kind !== 'struct') throw new Error('metadata was asked about before the definitions of custom resources were loaded');
    return metadataProblem(type, identity, value);
  };
}
