/** Aggregated discovery: all groups, versions and resources below one root in one document (specification: Discovery). */
import type { GroupVersionData, ResourceData, SubresourceData } from '../contract/kind.ts';
import { coreVersions, namedGroups, type RegistryView } from './registry-view.ts';
import { byName, listedVerbs } from './resource-list.ts';

/** The two forms differ in their version alone. */
export type AggregatedVersion = 'v2' | 'v2beta1';
export const AGGREGATED_KIND = 'APIGroupDiscoveryList';

/** Path below which groups stand: the core group, or all others. */
export type DiscoveryRoot = 'api' | 'apis';

interface ResponseKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface ApiResourceDiscovery {
  readonly resource: string;
  readonly responseKind: ResponseKind;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind: ResponseKind;
    readonly verbs: readonly string[];
  }[];
}

export interface ApiGroupDiscovery {
  readonly metadata: { readonly name?: string; readonly creationTimestamp: null };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly ApiResourceDiscovery[];
    /** `Stale` is said only of versions that another server answers and that it does not answer for now */
    readonly freshness: 'Current';
  }[];
}

export interface ApiGroupDiscoveryList {
  readonly kind: typeof AGGREGATED_KIND;
  readonly apiVersion: string;
  readonly metadata: Record<string, never>;
  readonly items: readonly ApiGroupDiscovery[];
}

export function aggregatedDiscovery(view: RegistryView, root: DiscoveryRoot, version: AggregatedVersion): ApiGroupDiscoveryList {
  const groups = root === 'api' ? [coreVersions(view)] : [...namedGroups(view).values()];
  return {
    kind: AGGREGATED_KIND,
    apiVersion: `${view.identity.text('apidiscovery.${groupDomain}')}/${version}`,
    metadata: {},
    items: groups.filter((versions) => versions.length > 0).map(describeGroup),
  };
}

function describeGroup(versions: readonly GroupVersionData[]): ApiGroupDiscovery {
  const name = versions[0]?.group ?? '';
  return {
    metadata: { ...(name !== '' && { name }), creationTimestamp: null },
    versions: versions.map((groupVersion) => ({
      version: groupVersion.version,
      resources: byName(groupVersion.resources).map((resource) => describeResource(groupVersion, resource)),
      freshness: 'Current',
    })),
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
