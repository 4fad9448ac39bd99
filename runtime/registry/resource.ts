/** One resource of one served version, as the registry knows it. */
import type { Converter } from '../contract/converter.ts';
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
  /** has the kind that is stored */
  readonly storedKinds: KindSource;
  /** stands between them; absent where kinds state how they become that of the hub */
  readonly converter?: Converter | undefined;
  /** the version that is stored, where a converter stands between them */
  readonly stored?: ResourceData | undefined;
  /** key of the stored object that defines the resource; absent where nothing in the store does */
  readonly definition?: string | undefined;
  /** what watches hold on to, where they may go on over a change of the definition; absent: this object */
  readonly watched?: object | undefined;
}

/** What watches of a resource hold on to, whatever its version. */
export const watchedOf = ({ versions }: Resource): object => versions.watched ?? versions;

/** @param hub the resource in the version that is stored, or in this one where a converter stands between them */
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
    // terms are those of what is stored, which is not what is selected by where it is converted
    indexedFields: versions.converter === undefined ? indexedFields(hub) : new Set(),
    subresources: new Map(data.subresources.map((subresource) => [subresource.name, subresource])),
  };
}
