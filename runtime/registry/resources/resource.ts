/** One resource of one served version, as the registry knows it. */
import type { Converter } from '../../contract/converter.ts';
import type { GroupVersionData, ResourceData, SubresourceData } from '../../contract/kind.ts';
import type { GroupResource } from '../../status/status.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import type { KindSource } from '../kinds/kind-source.ts';
import { indexedFields } from '../stored-objects/stored-terms.ts';
import type { DefiningObject } from './resource-definition.ts';

/**
 * Immutable. A changed definition makes new objects, so whatever is made of a resource is kept in a WeakMap by this object, in the file that makes it, and goes
 * with the object.
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
   * Paths into the stored form whose values are in the header of stored objects. `data.selectableFields` has the paths of the same fields in this version, in
   * the same order, perhaps without the last ones.
   */
  readonly storedFields: readonly string[];
  /** indices in `storedFields` of the fields that are indexed */
  readonly indexedFields: ReadonlySet<number>;
}

/** What all versions of a resource share. Each version has the same object. */
export interface ResourceVersions {
  /** the versions that are served, of all groups that have the resource, by priority */
  readonly served: readonly Resource[];
  /** those of a definition that rules of webhooks and policies may name, served or not, in its order; absent: the served ones */
  readonly named?: readonly Resource[];
  /** loads the kinds of the versions */
  readonly kinds: KindSource;
  /** loads the kind that is stored */
  readonly storedKinds: KindSource;
  /** converts between the versions; absent where kinds state conversions to their hub */
  readonly converter?: Converter | undefined;
  /** the resource in the version that is stored, where there is a converter */
  readonly stored?: ResourceData | undefined;
  /** the stored object that defines the resource; absent if nothing in the store does */
  readonly definition?: DefiningObject | undefined;
  /** the object for `watchedOf`, if watches may go on after a change of the definition; absent for this object itself */
  readonly watched?: object | undefined;
}

/** Returns the object that stands for a resource in watches, which is the same for all its versions. */
export const watchedOf = ({ versions }: Resource): object => versions.watched ?? versions;

/** @param hub the resource in the version that is stored; in this version, where there is a converter */
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
    // the index has terms of stored values, while selectors select by converted ones
    indexedFields: versions.converter === undefined ? indexedFields(hub) : new Set(),
    subresources: new Map(data.subresources.map((subresource) => [subresource.name, subresource])),
  };
}
