/**
 * What the schemas state, with the dialect's names in it and for one choice of features and groups. Nobody changes it: servers that choose the same
 * may share it, and with it all kinds that one of them has loaded.
 */
import type { Converter } from '../../contract/converter.ts';
import type { Identity } from '../../contract/identity.ts';
import type { GroupVersionData, ResourceData } from '../../contract/kind.ts';
import type { RuleModules } from '../../contract/rule-modules.ts';
import { BuiltInKinds } from '../kinds/built-in-kinds.ts';
import { gvKey, type KindLoaderParts } from '../kinds/kind-loader.ts';
import type { DefinedGroup } from './defined-resources.ts';
import { discoveryOrder } from './discovery-order.ts';
import { RegistrySnapshot } from './registry-snapshot.ts';
import { makeResource, type Resource, type ResourceVersions } from './resource.ts';
import type { Serves } from './runtime-config.ts';
import { ServedResources } from './served-resources.ts';

export interface BuiltInParts {
  readonly data: readonly GroupVersionData[];
  /** with the kinds to which those of `data` are converted, where `data` is of an earlier release; absent: they are among them */
  readonly hubs?: readonly GroupVersionData[];
  readonly identity: Identity;
  readonly rules: RuleModules;
  /** tells what is served, by --runtime-config and by the maturity of versions */
  readonly serves: Serves;
  readonly featureEnabled: (gate: string) => boolean;
  /** the release whose behaviour the server has, such as `1.32` */
  readonly release: string;
  /** Makes the converter between versions of structural schemas for the `apiVersion`s that objects may have; absent if there are no such versions. */
  readonly renaming?: (apiVersions: readonly string[]) => Converter;
}

export class BuiltInApi {
  readonly kindParts: Omit<KindLoaderParts, 'module' | 'hubs'>;
  /** served ones alone, in the order of discovery */
  readonly groupVersions: readonly GroupVersionData[];
  readonly #served: ServedResources;
  readonly #all: readonly GroupVersionData[];
  readonly #stored: ReadonlyMap<string, GroupVersionData>;
  readonly kinds: BuiltInKinds;
  /** the kinds of every version that may be stored */
  readonly storedKinds: BuiltInKinds;
  /** what is served as long as no custom resource is defined */
  readonly snapshot: RegistrySnapshot;

  /** @throws Error when a schema names something that the identity does not have */
  constructor({ data, hubs, identity, rules, serves, featureEnabled, release, renaming }: BuiltInParts) {
    this.kindParts = { identity, rules, release, featureEnabled };
    const resolved = resolvedVersions(data, identity, featureEnabled);
    this.#all = resolved;
    const all = byName(resolved);
    const stored = hubs === undefined ? undefined : byName(resolvedVersions(hubs, identity, featureEnabled));
    this.#stored = stored ?? all;
    this.groupVersions = resolved
      .map((each) => servedPart(each, serves))
      .filter(({ resources }) => resources.length > 0)
      .sort(discoveryOrder);
    this.storedKinds = new BuiltInKinds(stored ?? all, this.kindParts);
    this.kinds = stored === undefined ? this.storedKinds : new BuiltInKinds(all, this.kindParts, this.storedKinds);
    const kinds = { kinds: this.kinds, storedKinds: this.storedKinds };
    const resources = builtInResources(this.groupVersions, stored ?? all, kinds, renaming);
    this.#served = new ServedResources(this.groupVersions, resources);
    this.snapshot = this.snapshotWith(new Map());
  }

  /** Whether the release has a resource in any version, served or not. */
  knows(group: string, name: string): boolean {
    return this.#all.some((each) => each.group === group && each.resources.some((resource) => resource.name === name));
  }

  /** Versions of a group that may be stored, served or not, the one of the highest priority first. */
  storedVersionsOf(group: string): GroupVersionData[] {
    return [...this.#stored.values()].filter((each) => each.group === group).sort(discoveryOrder);
  }

  /** Makes the kinds of other group versions, in the form of schemas. Each must be converted to a kind among them. */
  kindsOf(data: readonly GroupVersionData[]): BuiltInKinds {
    const { identity, featureEnabled } = this.kindParts;
    return new BuiltInKinds(byName(resolvedVersions(data, identity, featureEnabled)), this.kindParts);
  }

  /** @param defined what definitions add, by the names of groups */
  snapshotWith(defined: ReadonlyMap<string, DefinedGroup>): RegistrySnapshot {
    const metaGroup = this.kindParts.identity.text('meta.${groupDomain}');
    return new RegistrySnapshot({ builtIn: this.#served, kinds: this.kinds, defined, metaGroup });
  }
}

function resolvedVersions(
  data: readonly GroupVersionData[],
  identity: Identity,
  featureEnabled: (gate: string) => boolean,
): GroupVersionData[] {
  return data.map((each) => ({
    ...each,
    group: identity.text(each.group),
    loadOpenapi: async () => identity.resolve(await each.loadOpenapi()),
    ...enabledResources(identity.resolve(each.resources), featureEnabled),
  }));
}

/** The group version with the resources that are served. */
function servedPart(groupVersion: GroupVersionData, serves: Serves): GroupVersionData {
  const { resources, hidden = [] } = groupVersion;
  const left = resources.filter(({ name }) => !serves(groupVersion, name));
  if (left.length === 0) return groupVersion;
  return {
    ...groupVersion,
    resources: resources.filter((each) => !left.includes(each)),
    hidden: [...hidden, ...left.map(({ name }) => name)],
  };
}

const byName = (all: readonly GroupVersionData[]): ReadonlyMap<string, GroupVersionData> =>
  new Map(all.map((each) => [gvKey(each.group, each.version), each]));

/** @param all those that may be stored */
function builtInResources(
  served: readonly GroupVersionData[],
  all: ReadonlyMap<string, GroupVersionData>,
  kinds: Pick<ResourceVersions, 'kinds' | 'storedKinds'>,
  renaming: BuiltInParts['renaming'],
): readonly Resource[] {
  const versionsOf = new Map<string, Resource[]>();
  return served.flatMap((groupVersion) =>
    groupVersion.resources.map((data) => {
      // what is not stored is the same in all versions of its group, too
      const same = data.storage?.prefix ?? `not stored: ${groupVersion.group}/${data.name}`;
      const versions = versionsOf.get(same) ?? [];
      versionsOf.set(same, versions);
      const hub = hubResource(all, data);
      const shared = versions[0]?.versions ?? { served: versions, ...kinds, ...standingBetween(groupVersion, data, hub, all, renaming) };
      const resource = makeResource(groupVersion, data, shared.converter === undefined ? hub : data, shared);
      versions.push(resource);
      return resource;
    }),
  );
}

/** Determines the converter, and the stored version, of a resource whose versions differ in nothing but their name. */
function standingBetween(
  { group, structural }: GroupVersionData,
  { name }: ResourceData,
  stored: ResourceData,
  all: ReadonlyMap<string, GroupVersionData>,
  renaming: BuiltInParts['renaming'],
): Pick<ResourceVersions, 'converter' | 'stored'> {
  if (structural !== true || renaming === undefined) return {};
  const versions = [...all.values()].filter((each) => each.group === group && each.resources.some((resource) => resource.name === name));
  if (versions.length < 2) return {};
  return { converter: renaming(versions.map(({ version }) => gvKey(group, version))), stored };
}

/** The resource in the version that is stored. */
function hubResource(all: ReadonlyMap<string, GroupVersionData>, resource: ResourceData): ResourceData {
  const { storage } = resource;
  if (storage === undefined) return resource;
  const hub = all.get(gvKey(storage.group, storage.version))?.resources;
  return hub?.find((each) => each.storage?.prefix === storage.prefix) ?? resource;
}

/** Resources and subresources whose feature gates are on, and the names of the others. */
function enabledResources(
  all: readonly ResourceData[],
  featureEnabled: (gate: string) => boolean,
): Required<Pick<GroupVersionData, 'resources' | 'hidden'>> {
  const enabled = ({ featureGate }: { readonly featureGate?: string }) => featureGate === undefined || featureEnabled(featureGate);
  const hidden = all.flatMap((resource) =>
    enabled(resource)
      ? resource.subresources.filter((each) => !enabled(each)).map(({ name }) => `${resource.name}/${name}`)
      : [resource.name],
  );
  if (hidden.length === 0) return { resources: all, hidden };
  const resources = all.filter(enabled).map((resource) => ({ ...resource, subresources: resource.subresources.filter(enabled) }));
  return { resources, hidden };
}
