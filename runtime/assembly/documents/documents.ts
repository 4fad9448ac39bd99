/**
 * Discovery and OpenAPI documents. As long as a server serves nothing but the schemas, it shares its documents with all servers that have
 * the same API.
 */
import type { Aggregation } from '../../aggregation/aggregation.ts';
import { createDiscovery, type Discovery } from '../../discovery/discovery.ts';
import type { MaybePromise } from '../../discovery/registry-view.ts';
import type { Metrics } from '../../observability/metrics.ts';
import type { OpenapiView } from '../../openapi/catalog.ts';
import { createOpenapi, type Openapi } from '../../openapi/openapi.ts';
import type { BuiltInApi } from '../../registry/resources/built-in-api.ts';
import type { Registry } from '../../registry/resources/registry.ts';

export interface ApiDocuments {
  readonly discovery: Discovery;
  readonly openapi: Openapi;
}

const ofSchemas = new WeakMap<BuiltInApi, ApiDocuments>();

interface DocumentParts {
  /** loads the OpenAPI document of the types that all groups share */
  readonly machinery: OpenapiView['machinery'];
  readonly aggregation: Aggregation;
  readonly metrics: Pick<Metrics, 'counter'>;
  readonly featureEnabled: (gate: string) => boolean;
}

export function createDocuments(
  registry: Registry,
  builtIn: BuiltInApi,
  { machinery, aggregation, metrics, featureEnabled }: DocumentParts,
): ApiDocuments {
  const { identity } = registry;
  const { release } = builtIn.kindParts;
  const shared =
    ofSchemas.get(builtIn) ?? documentsOf({ identity, release, groupVersions: builtIn.groupVersions, machinery, featureEnabled });
  ofSchemas.set(builtIn, shared);
  let own: ApiDocuments | undefined;
  const current = (): ApiDocuments => {
    if (registry.current === builtIn.snapshot && aggregation.versions.size === 0) return shared;
    own ??= documentsOf({
      identity,
      release,
      machinery,
      featureEnabled,
      get groupVersions() {
        return aggregation.served.groupVersions;
      },
      remote: (groupVersion) => aggregation.view(groupVersion),
      remoteDocuments: (groupVersion) => aggregation.documents(groupVersion),
      mergeElsewhere: aggregation.mergeElsewhere,
    });
    return own;
  };
  const counted = countingMade(metrics);
  return {
    discovery: {
      apiVersions: (serverAddress) => current().discovery.apiVersions(serverAddress),
      groupList: () => current().discovery.groupList(),
      group: (name) => current().discovery.group(name),
      resourceList: (group, version) => current().discovery.resourceList(group, version),
      aggregated: (root, version) => counted(`${version} of ${root}`, current().discovery.aggregated(root, version)),
      paths: () => current().discovery.paths(),
      encoded: (document) => current().discovery.encoded(document),
      invalidate: () => own?.discovery.invalidate(),
    },
    openapi: {
      handle: (path, query, headers) => current().openapi.handle(path, query, headers),
      invalidate: () => own?.openapi.invalidate(),
    },
  };
}

/**
 * Counts documents of aggregated discovery under the name that the metric has in 1.32. A document counts once, when this server first
 * serves it.
 */
function countingMade(metrics: Pick<Metrics, 'counter'>): <Of extends MaybePromise<object>>(which: string, document: Of) => Of {
  const count = metrics.counter('aggregator_discovery_aggregation_count_total').with({});
  const last = new Map<string, object>();
  const given = (which: string, document: object): void => {
    if (last.get(which) === document) return;
    last.set(which, document);
    count.inc();
  };
  return (which, document) => {
    if (document instanceof Promise) document.then((made) => given(which, made));
    else given(which, document);
    return document;
  };
}

function documentsOf(view: OpenapiView): ApiDocuments {
  return { discovery: createDiscovery(view), openapi: createOpenapi(view) };
}
