/** Group versions as the registry hands them out, for tests. */
import { identity as identityData } from '../../generated/identity.ts';
import { createIdentity, type Dialect } from '../../runtime/contract/identity.ts';
import type { GroupVersionData, ResourceData } from '../../runtime/contract/kind.ts';
import type { AggregatedDocument, ApiGroupDiscoveryList } from '../../runtime/discovery/aggregated.ts';
import type { MaybePromise, RegistryView } from '../../runtime/discovery/registry-view.ts';

/** What a document says that is there at once, and short. */
export function groupsIn(document: MaybePromise<AggregatedDocument>): ApiGroupDiscoveryList {
  return JSON.parse((document as AggregatedDocument).body.toString());
}

export function view(groupVersions: readonly GroupVersionData[], dialect: Dialect = 'kubernetes'): RegistryView {
  return { groupVersions, identity: createIdentity(identityData, dialect) };
}

export function resource(name: string, kind: string, changes: Partial<ResourceData>): ResourceData {
  return {
    name,
    kind,
    singular: kind.toLowerCase(),
    scope: 'Namespaced',
    shortNames: [],
    categories: [],
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    subresources: [],
    nameFormat: 'dnsSubdomain',
    generation: [],
    statusOnCreate: 'reset',
    statusOnUpdate: 'reset',
    watchCache: true,
    metadataChecks: ['update'],
    generatedNames: 'random',
    putCreates: false,
    unconditionalUpdate: true,
    deleteAnswers: 'status',
    selectableFields: [],
    ...changes,
  };
}

export function groupVersion(
  group: string,
  version: string,
  resources: readonly ResourceData[],
  folder = `${group}/${version}`,
): GroupVersionData {
  return {
    group,
    version,
    folder,
    groupPriority: 1000,
    versionPriority: 15,
    enabledByDefault: true,
    resources,
    load: async () => ({ kinds: {} }),
    loadOpenapi: async () => '{}',
  };
}

const stored = (group: string, kind: string) => ({ prefix: kind.toLowerCase(), group, version: 'v1', kind });

export const pods = groupVersion('', 'v1', [
  resource('pods', 'Pod', {
    shortNames: ['po'],
    categories: ['all'],
    storage: stored('', 'Pod'),
    subresources: [
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    ],
  }),
]);

export const deployments = groupVersion('apps', 'v1', [resource('deployments', 'Deployment', { storage: stored('apps', 'Deployment') })]);

export const reviews = groupVersion('authentication.k8s.io', 'v1', [
  resource('tokenreviews', 'TokenReview', { scope: 'Cluster', verbs: ['create'] }),
]);

export const customGroupVersion = groupVersion(
  'example.org',
  'v1',
  [
    resource('widgets', 'Widget', {
      verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
      storage: stored('example.org', 'Widget'),
      subresources: [{ name: 'status', kind: 'Widget', verbs: ['get', 'patch', 'update'] }],
    }),
  ],
  '',
);
