/** One resource of one served version, as the registry knows it. */
import type { GroupVersionData, ResourceData, SubresourceData } from '../contract/kind.ts';
import type { GroupResource } from '../status/status.ts';
import { gvKey } from './kind-loader.ts';
import type { KindSource } from './kind-source.ts';
import { indexedFields } from './stored-terms.ts';

/**
 * Nobody changes it. Another definition of the same resource makes others, so what is made of a resource is kept by this object (in a WeakMap
 * of the package that makes it) and goes with it.
 */
export interface Resource {
  readonly data: ResourceData;
  readonly groupVersion: Pick<GroupVersionData, 'group' | 'version'>;
  readonly groupResource: GroupResource;
  readonly versions: ResourceVersions;
  /** `group/version`, or `version` in the core group */
  readonly apiVersion: string;
  readonly subresources: ReadonlyMap<string, SubresourceData>;
  /**
   * Paths into the stored form whose values stand in the header of stored objects. `data.selectableFields` names the same fields, in the same
   * order, as this version spells them; it may leave out the last ones.
   */
  readonly storedFields: readonly string[];
  /** places in `storedFields` of those by which objects are found */
  readonly indexedFields: ReadonlySet<number>;
}

/** What all versions of a resource share; the same object for each. */
export interface ResourceVersions {
  /** those that are served, under whatever group, by their priority */
  readonly served: readonly Resource[];
  /** where their kinds come from */
  readonly kinds: KindSource;
}

/** @param hub the resource in the version that is stored */
export function makeResource(
  groupVersion: Pick<GroupVersionData, 'group' | 'version'>,
  data: ResourceData,
  hub: ResourceData,
  versions: ResourceVersions,
): Resource {
  const { group, version } = groupVersion;
  return {
    data,
    groupVersion,
    versions,
    groupResource: { group, resource: data.name },
    apiVersion: gvKey(group, version),
    storedFields: hub.selectableFields,
    indexedFields: indexedFields(hub),
    subresources: new Map(data.subresources.map((subresource) => [subresource.name, subresource])),
  };
}
