/** What a server says of the versions in which it stores resources, reads them and serves them, as StorageVersion objects have it (KEP-2339). */
import type { GroupResource } from '../../status/status.ts';
import { type StoredVersionsParts, storedResources } from '../emulation/stored-versions.ts';
import { gvKey } from '../kinds/kind-loader.ts';
import type { BuiltInApi } from '../resources/built-in-api.ts';
import type { RegistrySnapshot } from '../resources/registry-snapshot.ts';
import type { Resource } from '../resources/resource.ts';

/** A resource of the schemas that is stored, whatever number of groups and versions serves it. */
export interface RegisteredResource {
  /** the first of those under which it is served, by group and name */
  readonly groupResource: GroupResource;
  /** all of them, such as events of both their groups */
  readonly equivalents: readonly GroupResource[];
  readonly served: readonly Resource[];
}

/** The versions that a server has for a resource, each in the form of `apiVersion`. */
export interface ServerVersions {
  readonly encodingVersion: string;
  readonly decodableVersions: readonly string[];
  readonly servedVersions: readonly string[];
}

/** Those that definitions bring have no part in it, as in 1.32. @returns in the order in which they are registered */
export function registeredResources(snapshot: RegistrySnapshot): RegisteredResource[] {
  const found: RegisteredResource[] = [];
  for (const { data, versions } of snapshot.storedResources()) {
    const equivalents = distinct(versions.served.map(({ groupResource }) => groupResource)).sort(byGroupAndName);
    const [groupResource] = equivalents;
    if (data.isDefined !== true && groupResource !== undefined) found.push({ groupResource, equivalents, served: versions.served });
  }
  return found.sort((a, b) => byGroupAndName(a.groupResource, b.groupResource));
}

const nameOf = ({ group, resource }: GroupResource): string => `${group}/${resource}`;

const distinct = (all: readonly GroupResource[]): GroupResource[] => [...new Map(all.map((each) => [nameOf(each), each])).values()];

function byGroupAndName(a: GroupResource, b: GroupResource): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return a.resource < b.resource ? -1 : Number(a.resource > b.resource);
}

/** Finds the versions of resources. Of versions that are no longer served, it loads only the kinds that it needs. */
export async function versionsOfResources(
  resources: readonly RegisteredResource[],
  parts: Omit<StoredVersionsParts, 'loadPast'>,
): Promise<ReadonlyMap<RegisteredResource, ServerVersions>> {
  const stored = new Map(storedResources(parts).map(({ prefix, inEtcd }) => [prefix, gvKey(inEtcd.group, inEtcd.version)]));
  const found = new Map<RegisteredResource, ServerVersions>();
  for (const resource of resources) {
    const { groupResource, served } = resource;
    const own = served.filter((each) => nameOf(each.groupResource) === nameOf(groupResource));
    const [first] = own as [Resource];
    const decodable = await versionsOfKind(groupResource.group, first.data.kind, parts.builtIn);
    const encodingVersion = stored.get(first.data.storage?.prefix ?? '') ?? first.apiVersion;
    found.set(resource, {
      encodingVersion,
      decodableVersions: [...new Set([...decodable, ...served.map(({ apiVersion }) => apiVersion), encodingVersion])],
      servedVersions: own.map(({ apiVersion }) => apiVersion),
    });
  }
  return found;
}

/** Those in which the group has a kind, served or not, the one of the highest priority first. */
async function versionsOfKind(group: string, kind: string, builtIn: BuiltInApi): Promise<string[]> {
  const found: string[] = [];
  for (const { version, resources } of builtIn.storedVersionsOf(group)) {
    const isServedKind = resources.some((each) => each.kind === kind);
    if (isServedKind || (await builtIn.storedKinds.has(group, version, kind))) found.push(gvKey(group, version));
  }
  return found;
}
