/** Aggregated discovery: all groups, versions and resources below one root in one document (specification: Discovery). */
import type { GroupVersionData, ResourceData, SubresourceData } from '../contract/kind.ts';
import type { ApiResourceDiscovery, ResponseKind } from './described-resource.ts';
import { coreVersions, namedGroups, type RegistryView } from './registry-view.ts';
import { byName, listedVerbs } from './resource-list.ts';

/** The two forms differ in their version alone. */
export type AggregatedVersion = 'v2' | 'v2beta1';
export const AGGREGATED_KIND = 'APIGroupDiscoveryList';

/** Path below which groups stand: the core group, or all others. */
export type DiscoveryRoot = 'api' | 'apis';

export interface ApiGroupDiscovery {
  readonly metadata: { readonly name?: string; readonly creationTimestamp: null };
  readonly versions: readonly {
    readonly version: string;
    /** absent where there are none */
    readonly resources?: readonly ApiResourceDiscovery[];
    /** `Stale` is said only of versions that another server answers and of which it does not say now what they have */
    readonly freshness: 'Current' | 'Stale';
  }[];
}

export interface ApiGroupDiscoveryList {
  readonly kind: typeof AGGREGATED_KIND;
  readonly apiVersion: string;
  readonly metadata: Record<string, never>;
  readonly items: readonly ApiGroupDiscovery[];
}

/** What other servers say of the versions that they answer; undefined: they do not say. */
export type RemoteResources = ReadonlyMap<GroupVersionData, readonly ApiResourceDiscovery[] | undefined>;

const NO_REMOTES: RemoteResources = new Map();

/** @param remotes has all versions of the root that other servers answer */
export function aggregatedDiscovery(
  view: RegistryView,
  root: DiscoveryRoot,
  version: AggregatedVersion,
  remotes = NO_REMOTES,
): ApiGroupDiscoveryList {
  const groups = groupsBelow(view, root);
  return {
    kind: AGGREGATED_KIND,
    apiVersion: `${view.identity.text('apidiscovery.${groupDomain}')}/${version}`,
    metadata: {},
    items: groups.filter((versions) => versions.length > 0).map((versions) => describeGroup(versions, remotes)),
  };
}

/** Groups of one root with their versions, in the order of discovery. */
export function groupsBelow(view: RegistryView, root: DiscoveryRoot): readonly GroupVersionData[][] {
  return root === 'api' ? [coreVersions(view)] : [...namedGroups(view).values()];
}

function describeGroup(versions: readonly GroupVersionData[], remotes: RemoteResources): ApiGroupDiscovery {
  const name = versions[0]?.group ?? '';
  return {
    metadata: { ...(name !== '' && { name }), creationTimestamp: null },
    versions: versions.map((groupVersion) => {
      const described = remotes.has(groupVersion)
        ? remotes.get(groupVersion)
        : byName(groupVersion.resources).map((resource) => describeResource(groupVersion, resource));
      return {
        version: groupVersion.version,
        ...(described !== undefined && described.length > 0 && { resources: described }),
        freshness: described === undefined ? 'Stale' : 'Current',
      };
    }),
  };
}

function describeResource(groupVersion: GroupVersionData, resource: ResourceData): ApiResourceDiscovery {
  return {
    resource: resource.name,
    responseKind: responseKind(groupVersion, resource),
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: listedVerbs(resource),
    ...(resource.shortNames.length > 0 && { shortNames: resource.shortNames }),
    ...(resource.categories.length > 0 && { categories: resource.categories }),
    ...(resource.subresources.length > 0 && {
      subresources: resource.subresources.map((subresource) => ({
        subresource: subresource.name,
        responseKind: responseKind(groupVersion, subresource),
        verbs: subresource.verbs,
      })),
    }),
  };
}

/** Built-in resources leave group and version empty where they are those of the document, custom resources state them: so does 1.32. */
function responseKind(groupVersion: GroupVersionData, holder: Pick<SubresourceData, 'kind' | 'group' | 'version'>): ResponseKind {
  const { group = groupVersion.group, version = groupVersion.version, kind } = holder;
  const isCustom = groupVersion.folder === '' || groupVersion.structural === true;
  const implied = !isCustom && group === groupVersion.group && version === groupVersion.version;
  return implied ? { group: '', version: '', kind } : { group, version, kind };
}
