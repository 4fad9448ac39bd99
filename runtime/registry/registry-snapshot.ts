/** All that is served at one time: groups, versions, resources and kinds. Nobody changes it; the registry puts another one in its place. */
import type { GroupVersionData } from '../contract/kind.ts';
import type { BuiltInKinds } from './built-in-kinds.ts';
import type { Kind } from './kind.ts';
import type { KindSource } from './kind-source.ts';
import type { Resource } from './resource.ts';

export interface SnapshotParts {
  /** served ones, in the order of discovery */
  readonly groupVersions: readonly GroupVersionData[];
  /** of `groupVersions`, in their order */
  readonly resources: readonly Resource[];
  /** of definitions that serve no version: stored ones, each in the version that is stored */
  readonly unserved: readonly Resource[];
  readonly builtIn: BuiltInKinds;
  /** those of definitions, by group and kind as `definedKindKey` joins them */
  readonly defined: ReadonlyMap<string, KindSource>;
  /** group of Status, Table and the like */
  readonly metaGroup: string;
}

export const definedKindKey = (group: string, kind: string): string => `${group}/${kind}`;

export class RegistrySnapshot {
  /** served ones alone, in the order of discovery */
  readonly groupVersions: readonly GroupVersionData[];
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #unserved: readonly Resource[];
  readonly #builtIn: BuiltInKinds;
  readonly #defined: ReadonlyMap<string, KindSource>;
  readonly #metaGroup: string;
  #stored: ReadonlyMap<string, Resource> | undefined;
  #served: { readonly groups: ReadonlySet<string>; readonly versions: ReadonlySet<string> } | undefined;

  constructor({ groupVersions, resources, unserved, builtIn, defined, metaGroup }: SnapshotParts) {
    this.groupVersions = groupVersions;
    this.#resources = new Map(resources.map((each) => [`${each.groupVersion.group}/${each.groupVersion.version}/${each.data.name}`, each]));
    this.#unserved = unserved;
    this.#builtIn = builtIn;
    this.#defined = defined;
    this.#metaGroup = metaGroup;
  }

  resource(group: string, version: string, name: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${name}`);
  }

  /** Whether a version that the schemas have is served of the group; those of definitions do not count. */
  servesOwnGroup(group: string): boolean {
    return this.#names.groups.has(group);
  }

  servesVersion(group: string, version: string): boolean {
    return this.#names.versions.has(`${group}/${version}`);
  }

  get #names() {
    this.#served ??= {
      groups: new Set(this.groupVersions.filter((each) => this.#builtIn.hasVersion(each.group, each.version)).map(({ group }) => group)),
      versions: new Set(this.groupVersions.map(({ group, version }) => `${group}/${version}`)),
    };
    return this.#served;
  }

  /**
   * Every stored resource once, whatever number of versions serves it: in the one of the highest priority, or in that which is stored where a
   * converter stands between them, which may not work.
   */
  storedResources(): Resource[] {
    return [...this.#byPrefix.values()];
  }

  /** The resource whose objects have keys that begin so: as of `storedResources`. @param prefix without a slash at the end */
  storedAt(prefix: string): Resource | undefined {
    return this.#byPrefix.get(prefix);
  }

  /** As `storedAt`, of the definitions that serve no version. */
  unservedAt(prefix: string): Resource | undefined {
    return this.#unserved.find(({ data }) => data.storage?.prefix === prefix);
  }

  get #byPrefix(): ReadonlyMap<string, Resource> {
    if (this.#stored === undefined) {
      const stored = new Map<string, Resource>();
      for (const resource of this.#resources.values()) {
        const prefix = resource.data.storage?.prefix;
        if (prefix !== undefined && (!stored.has(prefix) || isStoredVersion(resource))) stored.set(prefix, resource);
      }
      this.#stored = stored;
    }
    return this.#stored;
  }

  /** A kind that was loaded before, without waiting: the hot path. */
  loadedKind(group: string, version: string, kind: string): Kind | undefined {
    return this.#builtIn.loaded(group, version, kind) ?? this.#defined.get(definedKindKey(group, kind))?.loaded(group, version, kind);
  }

  /** As `loadedKind`, of a kind of the schemas in the form that rules see. */
  loadedHub(group: string, version: string, kind: string): Kind | undefined {
    return this.#builtIn.loadedHub(group, version, kind);
  }

  /** @throws Error for a kind that no schema has */
  kind(group: string, version: string, kind: string): Promise<Kind> {
    return this.#sourceOf(group, version, kind).kind(group, version, kind);
  }

  /** A kind of any version that a schema has, whether it is served or not; undefined where there is none. */
  async findKind(group: string, version: string, kind: string): Promise<Kind | undefined> {
    const source = this.#sourceOf(group, version, kind);
    return (await source.has(group, version, kind)) ? source.kind(group, version, kind) : undefined;
  }

  /** A version of the schemas wins over one of the same name that definitions have. */
  #sourceOf(group: string, version: string, kind: string): KindSource {
    const defined = this.#defined.get(definedKindKey(group, kind));
    return defined === undefined || this.#builtIn.hasVersion(group, version) ? this.#builtIn : defined;
  }

  /** A kind of the metadata group, such as Status or Table. */
  metaKind(kind: string): Promise<Kind> {
    return this.kind(this.#metaGroup, 'v1', kind);
  }

  loadedMetaKind(kind: string): Kind | undefined {
    return this.loadedKind(this.#metaGroup, 'v1', kind);
  }
}

function isStoredVersion({ data: { storage }, groupVersion: { version }, versions }: Resource): boolean {
  return versions.converter !== undefined && storage?.version === version;
}
