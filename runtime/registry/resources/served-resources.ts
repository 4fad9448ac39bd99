/** What the schemas have of groups, versions and resources, found by its names. It never changes. */
import type { GroupVersionData } from '../../contract/kind.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import type { Resource } from './resource.ts';

export class ServedResources {
  /** served ones alone, in the order of discovery */
  readonly groupVersions: readonly GroupVersionData[];
  /** each stored one once, in the version of the highest priority, by the prefix of its keys */
  readonly stored: ReadonlyMap<string, Resource>;
  readonly #groups: ReadonlySet<string>;
  /** the resources by the names of their group versions, then by their own */
  readonly #byVersion: ReadonlyMap<string, ReadonlyMap<string, Resource>>;

  /** @param resources of `groupVersions`, in their order */
  constructor(groupVersions: readonly GroupVersionData[], resources: readonly Resource[]) {
    this.groupVersions = groupVersions;
    this.stored = storedOnce(resources);
    this.#groups = new Set(groupVersions.filter(({ structural }) => structural !== true).map(({ group }) => group));
    const byVersion = new Map(groupVersions.map(({ group, version }) => [gvKey(group, version), new Map<string, Resource>()]));
    for (const each of resources) byVersion.get(each.apiVersion)?.set(each.data.name, each);
    this.#byVersion = byVersion;
  }

  resource(group: string, version: string, name: string): Resource | undefined {
    return this.#byVersion.get(gvKey(group, version))?.get(name);
  }

  /** Groups whose kinds answer as custom resources do are none of these. */
  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  hasVersion({ group, version }: Pick<GroupVersionData, 'group' | 'version'>): boolean {
    return this.#byVersion.has(gvKey(group, version));
  }
}

/** @param resources in the order of discovery. @returns by the prefixes of their keys; the version that is stored where a converter stands between them */
export function storedOnce(resources: Iterable<Resource>): Map<string, Resource> {
  const stored = new Map<string, Resource>();
  for (const resource of resources) {
    const prefix = resource.data.storage?.prefix;
    if (prefix !== undefined && (!stored.has(prefix) || isStoredVersion(resource))) stored.set(prefix, resource);
  }
  return stored;
}

function isStoredVersion({ data: { storage }, groupVersion: { version }, versions }: Resource): boolean {
  return versions.converter !== undefined && storage?.version === version;
}
