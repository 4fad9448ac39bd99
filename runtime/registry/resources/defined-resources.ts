/** What definitions add to the API: their resources, made once for each definition, and the group versions that they stand in. */
import type { GroupVersionData } from '../../contract/kind.ts';
import { sortedSlices } from '../../schema/sorted-slices.ts';
import { gvKey, KindLoader, type KindLoaderParts } from '../kinds/kind-loader.ts';
import type { KindSource } from '../kinds/kind-source.ts';
import { discoveryOrder } from './discovery-order.ts';
import { makeResource, type Resource } from './resource.ts';
import type { DefinedVersion, ResourceDefinition } from './resource-definition.ts';
import { storedOnce } from './served-resources.ts';

/** The priority in discovery that 1.32 gives to groups of definitions, which come after those of the schemas. */
export const GROUP_PRIORITY = 1_000;
/** The priority of all their versions, so that the versions of a group are in the order of their names. */
export const VERSION_PRIORITY = 100;

/** One definition in use. */
export interface DefinedResource {
  readonly definition: ResourceDefinition;
  /** one for each served version */
  readonly resources: readonly Resource[];
  /** see `ResourceDefinition.unserved` */
  readonly unserved: Resource | undefined;
  readonly kinds: KindSource;
}

/** The number of versions after which the caller may do something else. They take some hundred microseconds. */
const SOME = 64;

export function* definedResource(
  definition: ResourceDefinition,
  parts: Omit<KindLoaderParts, 'module' | 'hubs'>,
): Generator<void, DefinedResource, void> {
  const { group, versions, all = versions, converter, unserved, watched, definedBy } = definition;
  const hub = versions.find(({ version, resource }) => resource.storage?.version === version) ?? versions[0];
  const kinds = kindSource(definition, parts);
  const resources: Resource[] = [];
  const named: Resource[] = all === versions ? resources : [];
  const shared = {
    served: resources,
    named,
    kinds,
    storedKinds: kinds,
    ...(converter && { converter, stored: hub?.resource }),
    ...(watched && { watched }),
    ...(definedBy && { definition: definedBy }),
  };
  const served = new Set(versions.map(({ version }) => version));
  for (const [index, { version, resource }] of all.entries()) {
    const made = makeResource({ group, version }, resource, converter === undefined ? (hub?.resource ?? resource) : resource, shared);
    if (served.has(version)) resources.push(made);
    if (named !== resources) named.push(made);
    if (index % SOME === SOME - 1) yield;
  }
  return {
    definition,
    resources,
    unserved:
      unserved &&
      makeResource({ group, version: unserved.version }, unserved.resource, unserved.resource, {
        served: resources,
        named,
        kinds,
        storedKinds: kinds,
      }),
    kinds,
  };
}

function kindSource(definition: ResourceDefinition, parts: Omit<KindLoaderParts, 'module' | 'hubs'>): KindSource {
  const loader = new KindLoader({ ...parts, module: (_, version) => definition.load(version) });
  return {
    loaded: (group, version, kind) => loader.loaded(group, version, kind),
    kind: (group, version, kind) => loader.kind(group, version, kind),
    has: (_, version, kind) =>
      definition.load(version).then(
        ({ kinds }) => Object.hasOwn(kinds, kind),
        () => false,
      ),
  };
}

/** What the definitions of one group serve. Nobody may change it. */
export interface DefinedGroup {
  /** the versions by their names, in the order of discovery */
  readonly versions: ReadonlyMap<string, DefinedGroupVersion>;
  /** the sources of kinds by the names of kinds */
  readonly kinds: ReadonlyMap<string, KindSource>;
  /** each stored resource once, by the prefix of its keys; see `RegistrySnapshot.storedResources` */
  readonly stored: ReadonlyMap<string, Resource>;
  /** the resources of definitions that serve no version, by the prefix of their keys */
  readonly unserved: ReadonlyMap<string, Resource>;
}

/**
 * Puts the definitions of a group together, in pieces.
 * @param before the same group before a change; a version whose definitions have not changed is taken over as the same object, with everything that was made
 * from it
 */
export function* definedGroup(defined: Iterable<DefinedResource>, before: DefinedGroup | undefined): Generator<void, DefinedGroup, void> {
  const all = [...defined];
  const members = yield* membersByVersion(all);
  const found: DefinedGroupVersion[] = [];
  for (const [version, each] of members) {
    found.push(sameAsBefore(before?.versions.get(version), each) ?? groupVersionOf(each));
    if (found.length % SOME === 0) yield;
  }
  const sorted = yield* sortedSlices(found, (a, b) => discoveryOrder(a.data, b.data));
  const versions = new Map<string, DefinedGroupVersion>();
  const stored: Resource[] = [];
  for (const each of sorted) {
    versions.set(each.data.version, each);
    stored.push(...each.resources);
    if (versions.size % SOME === 0) yield;
  }
  return {
    versions,
    kinds: new Map(all.flatMap(({ definition, kinds }) => definition.kinds.map((name) => [name, kinds]))),
    stored: storedOnce(stored),
    unserved: storedOnce(all.flatMap(({ unserved }) => unserved ?? [])),
  };
}

function* membersByVersion(all: readonly DefinedResource[]): Generator<void, ReadonlyMap<string, Member[]>, void> {
  const members = new Map<string, Member[]>();
  let count = 0;
  for (const { definition, resources } of all)
    for (const [index, version] of definition.versions.entries()) {
      const member = { group: definition.group, version, resource: resources[index] as Resource };
      const known = members.get(version.version);
      if (known === undefined) members.set(version.version, [member]);
      else known.push(member);
      if (++count % SOME === 0) yield;
    }
  return members;
}

interface Member {
  readonly group: string;
  readonly version: DefinedVersion;
  readonly resource: Resource;
}

export interface DefinedGroupVersion {
  readonly data: GroupVersionData;
  /** the resources in the order of their names */
  readonly resources: readonly Resource[];
  readonly resource: (name: string) => Resource | undefined;
}

function sameAsBefore(before: DefinedGroupVersion | undefined, members: readonly Member[]): DefinedGroupVersion | undefined {
  if (before === undefined || before.resources.length !== members.length) return undefined;
  const known = new Set(before.resources);
  return members.every(({ resource }) => known.has(resource)) ? before : undefined;
}

function groupVersionOf(members: readonly Member[]): DefinedGroupVersion {
  const sorted = members.toSorted((a, b) => (a.resource.data.name < b.resource.data.name ? -1 : 1));
  const [{ group, version }] = sorted as [Member];
  const byName = new Map(sorted.map(({ resource }) => [resource.data.name, resource]));
  return {
    resources: sorted.map(({ resource }) => resource),
    resource: (name) => byName.get(name),
    data: {
      group,
      version: version.version,
      folder: '',
      groupPriority: GROUP_PRIORITY,
      versionPriority: VERSION_PRIORITY,
      enabledByDefault: true,
      resources: sorted.map(({ resource }) => resource.data),
      hidden: [],
      load: () => Promise.reject(new Error(`kinds of ${gvKey(group, version.version)} are loaded with their definitions`)),
      loadOpenapi: () => Promise.reject(new Error(`the document of ${gvKey(group, version.version)} is put together`)),
      openapiSources: sorted.map((each) => each.version.openapi),
    },
  };
}
