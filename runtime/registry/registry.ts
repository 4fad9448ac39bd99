/**
 * The one place where the server learns of groups, versions, resources and kinds. It is handed the generated data at start and resolves
 * the dialect's names in it; the heavy part of a group version is loaded when one of its kinds is first used. Custom resources will join here.
 */
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData, GroupVersionModule, ResourceData, SubresourceData } from '../contract/kind.ts';
import type { RuleModules } from '../contract/rule-modules.ts';
import type { GroupResource } from '../status/status.ts';
import type { Kind } from './kind.ts';
import { gvKey, KindLoader } from './kind-loader.ts';
import { indexedFields } from './stored-terms.ts';

/** One resource of one served version. */
export interface Resource {
  readonly data: ResourceData;
  readonly groupVersion: GroupVersionData;
  readonly groupResource: GroupResource;
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

export interface RegistryParts {
  readonly data: readonly GroupVersionData[];
  readonly identity: Identity;
  readonly rules: RuleModules;
  /** whether --runtime-config and the version's maturity let a group version be served */
  readonly serves: (groupVersion: GroupVersionData) => boolean;
  readonly featureEnabled: (gate: string) => boolean;
  /** the one whose behaviour the server has, such as 1.32 */
  readonly release: string;
}

export class Registry {
  readonly identity: Identity;
  /** served ones alone, in the order of discovery */
  readonly groupVersions: readonly GroupVersionData[];
  readonly #all: ReadonlyMap<string, GroupVersionData>;
  readonly #resources = new Map<string, Resource>();
  readonly #modules = new Map<string, Promise<GroupVersionModule>>();
  readonly #kinds: KindLoader;
  readonly #metaGroup: string;

  /** @throws Error when a schema names something that the identity does not have */
  constructor({ data, identity, rules, serves, featureEnabled, release }: RegistryParts) {
    this.identity = identity;
    this.#kinds = new KindLoader({ identity, rules, release, featureEnabled, module: (group, version) => this.#module(group, version) });
    this.#metaGroup = identity.text('meta.${groupDomain}');
    const resolved = data.map((each) => ({
      ...each,
      group: identity.text(each.group),
      ...enabledResources(identity.resolve(each.resources), featureEnabled),
    }));
    this.#all = new Map(resolved.map((each) => [gvKey(each.group, each.version), each]));
    this.groupVersions = resolved.filter((each) => each.resources.length > 0 && serves(each)).sort(discoveryOrder);
    for (const groupVersion of this.groupVersions) this.#addResources(groupVersion);
  }

  resource(group: string, version: string, name: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${name}`);
  }

  servesGroup(group: string): boolean {
    return this.groupVersions.some((each) => each.group === group);
  }

  servesVersion(group: string, version: string): boolean {
    return this.groupVersions.some((each) => each.group === group && each.version === version);
  }

  /** Every stored resource once, whatever number of versions serves it: the one of the highest priority. */
  storedResources(): Resource[] {
    const byPrefix = new Map<string, Resource>();
    for (const resource of this.#resources.values()) {
      const prefix = resource.data.storage?.prefix;
      if (prefix !== undefined && !byPrefix.has(prefix)) byPrefix.set(prefix, resource);
    }
    return [...byPrefix.values()];
  }

  /** Every served version of a resource, under whatever group, this one among them. */
  versionsOf({ data }: Resource): Resource[] {
    return [...this.#resources.values()].filter(
      (each) => each.data.storage !== undefined && each.data.storage.prefix === data.storage?.prefix,
    );
  }

  /** A kind that was loaded before, without waiting: the hot path. */
  loadedKind(group: string, version: string, kind: string): Kind | undefined {
    return this.#kinds.loaded(group, version, kind);
  }

  /** @throws Error for a kind that no schema has */
  kind(group: string, version: string, kind: string): Promise<Kind> {
    return this.#kinds.kind(group, version, kind);
  }

  /** A kind of any version that a schema has, whether it is served or not; undefined where there is none. */
  async findKind(group: string, version: string, kind: string): Promise<Kind | undefined> {
    if (!this.#all.has(gvKey(group, version))) return undefined;
    const { kinds } = await this.#module(group, version);
    return Object.hasOwn(kinds, kind) ? this.kind(group, version, kind) : undefined;
  }

  /** A kind of the metadata group, such as Status or Table. */
  metaKind(kind: string): Promise<Kind> {
    return this.kind(this.#metaGroup, 'v1', kind);
  }

  loadedMetaKind(kind: string): Kind | undefined {
    return this.loadedKind(this.#metaGroup, 'v1', kind);
  }

  #module(group: string, version: string): Promise<GroupVersionModule> {
    const key = gvKey(group, version);
    let module = this.#modules.get(key);
    if (module === undefined) {
      const data = this.#all.get(key);
      if (data === undefined) throw new Error(`no schema has the version ${key}`);
      module = data.load();
      this.#modules.set(key, module);
    }
    return module;
  }

  /** The resource in the version that is stored. */
  #hubResource(resource: ResourceData): ResourceData {
    const { storage } = resource;
    if (storage === undefined) return resource;
    const hub = this.#all.get(gvKey(storage.group, storage.version))?.resources;
    return hub?.find((each) => each.storage?.prefix === storage.prefix) ?? resource;
  }

  #addResources(groupVersion: GroupVersionData): void {
    for (const data of groupVersion.resources) {
      const hub = this.#hubResource(data);
      this.#resources.set(`${groupVersion.group}/${groupVersion.version}/${data.name}`, {
        data,
        groupVersion,
        groupResource: { group: groupVersion.group, resource: data.name },
        apiVersion: gvKey(groupVersion.group, groupVersion.version),
        storedFields: hub.selectableFields,
        indexedFields: indexedFields(hub),
        subresources: new Map(data.subresources.map((subresource) => [subresource.name, subresource])),
      });
    }
  }
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

function discoveryOrder(a: GroupVersionData, b: GroupVersionData): number {
  return b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : a.group > b.group ? 1 : b.versionPriority - a.versionPriority);
}
