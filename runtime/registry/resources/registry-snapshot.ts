/** All that is served at one time: groups, versions, resources and kinds. Nobody changes it; the registry puts another one in its place. */
import type { GroupVersionData } from '../../contract/kind.ts';
import type { BuiltInKinds } from '../kinds/built-in-kinds.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KindSource } from '../kinds/kind-source.ts';
import type { DefinedGroup } from './defined-resources.ts';
import { discoveryOrder, versionOrder } from './discovery-order.ts';
import { type Resource, watchedOf } from './resource.ts';
import type { ServedResources } from './served-resources.ts';

export interface SnapshotParts {
  readonly builtIn: ServedResources;
  readonly kinds: BuiltInKinds;
  /** groups of definitions, by their names */
  readonly defined: ReadonlyMap<string, DefinedGroup>;
  /** group of Status, Table and the like */
  readonly metaGroup: string;
}

/** A version that the schemas have wins over one of the same name that definitions have. */
export class RegistrySnapshot {
  readonly #builtIn: ServedResources;
  readonly #kinds: BuiltInKinds;
  readonly #defined: ReadonlyMap<string, DefinedGroup>;
  readonly #metaGroup: string;
  #groupVersions: readonly GroupVersionData[] | undefined;

  constructor({ builtIn, kinds, defined, metaGroup }: SnapshotParts) {
    this.#builtIn = builtIn;
    this.#kinds = kinds;
    this.#defined = defined;
    this.#metaGroup = metaGroup;
  }

  /** served ones alone, in the order of discovery */
  get groupVersions(): readonly GroupVersionData[] {
    this.#groupVersions ??= this.#allGroupVersions();
    return this.#groupVersions;
  }

  /** Versions of a group of definitions are in their order already: groups are sorted, whatever number of versions they have. */
  #allGroupVersions(): readonly GroupVersionData[] {
    const { groupVersions } = this.#builtIn;
    if (this.#defined.size === 0) return groupVersions;
    const groups = Map.groupBy(groupVersions, ({ group }) => group);
    for (const [group, { versions }] of this.#defined) {
      const defined = Array.from(versions.values(), ({ data }) => data);
      const own = groups.get(group);
      // those of definitions have a higher priority among the versions of the schemas, and a lower one of the group
      if (own !== undefined) groups.set(group, [...own, ...defined.filter((each) => !this.#builtIn.hasVersion(each))].sort(versionOrder));
      else if (defined.length > 0) groups.set(group, defined);
    }
    const runs = Array.from(groups.values(), (versions) => ({ versions, first: versions.reduce(ofHigherPriority) }));
    return runs.sort((a, b) => discoveryOrder(a.first, b.first)).flatMap(({ versions }) => versions);
  }

  resource(group: string, version: string, name: string): Resource | undefined {
    return this.#builtIn.resource(group, version, name) ?? this.#definedVersion(group, version)?.resource(name);
  }

  /** Whether who watches a resource of an earlier snapshot sees the same of the one that has taken its place. */
  keepsWatches(resource: Resource): boolean {
    const { group, version } = resource.groupVersion;
    const now = this.resource(group, version, resource.data.name);
    return now !== undefined && watchedOf(now) === watchedOf(resource);
  }

  #definedVersion(group: string, version: string) {
    const found = this.#defined.get(group)?.versions.get(version);
    return found === undefined || this.#builtIn.hasVersion({ group, version }) ? undefined : found;
  }

  /**
   * The resource whose objects have the form of this version for rules, in whatever version it is served: in this one where it may be. In an earlier release
   * that may be another one.
   */
  resourceOfForm(group: string, version: string, name: string): Resource | undefined {
    const same = this.resource(group, version, name);
    if (same !== undefined) return same;
    return this.storedResources().find(
      ({ data: { storage, name: own } }) => own === name && storage?.group === group && storage.version === version,
    );
  }

  /** Whether a version that the schemas have is served of the group; those of definitions do not count. */
  servesOwnGroup(group: string): boolean {
    return this.#builtIn.hasGroup(group);
  }

  servesVersion(group: string, version: string): boolean {
    return this.#builtIn.hasVersion({ group, version }) || this.definesVersion(group, version);
  }

  /** Whether definitions have the version, and not the schemas. */
  definesVersion(group: string, version: string): boolean {
    return this.#definedVersion(group, version) !== undefined;
  }

  /**
   * Every stored resource once, whatever number of versions serves it: in the one of the highest priority, or in that which is stored where a
   * converter stands between them, which may not work.
   */
  storedResources(): Resource[] {
    const defined = [...this.#defined.values()].flatMap(({ stored }) => [...stored.values()]);
    return [...this.#builtIn.stored.values(), ...defined.filter((each) => this.#isServed(each))];
  }

  /** Whether it is a resource of the schemas whose objects have keys that begin so, whatever definitions say. @param prefix without a slash at the end */
  ownsPrefix(prefix: string): boolean {
    return this.#builtIn.stored.has(prefix);
  }

  /** The resource whose objects have keys that begin so: as of `storedResources`. @param prefix without a slash at the end */
  storedAt(prefix: string): Resource | undefined {
    const builtIn = this.#builtIn.stored.get(prefix);
    const defined = builtIn === undefined ? this.#definedAt(prefix)?.stored.get(prefix) : undefined;
    return builtIn ?? (defined && this.#isServed(defined) ? defined : undefined);
  }

  #isServed({ groupVersion, data }: Resource): boolean {
    return this.#definedVersion(groupVersion.group, groupVersion.version)?.resource(data.name) !== undefined;
  }

  /** Does the same as `storedAt` for definitions that serve no version. */
  unservedAt(prefix: string): Resource | undefined {
    return this.#definedAt(prefix)?.unserved.get(prefix);
  }

  /** Finds the group of definitions by the prefix of a key, which begins with the name of the group. */
  #definedAt(prefix: string): DefinedGroup | undefined {
    return this.#defined.get(prefix.slice(0, prefix.indexOf('/')));
  }

  /** A kind that was loaded before, without waiting: the hot path. */
  loadedKind(group: string, version: string, kind: string): Kind | undefined {
    return this.#kinds.loaded(group, version, kind) ?? this.#defined.get(group)?.kinds.get(kind)?.loaded(group, version, kind);
  }

  /** Does the same as `loadedKind` for a kind of the schemas in the form that rules see. */
  loadedHub(group: string, version: string, kind: string): Kind | undefined {
    return this.#kinds.loadedHub(group, version, kind);
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
    const defined = this.#defined.get(group)?.kinds.get(kind);
    return defined === undefined || this.#kinds.hasVersion(group, version) ? this.#kinds : defined;
  }

  /** Loads a kind of the metadata group, such as Status or Table. */
  metaKind(kind: string): Promise<Kind> {
    return this.kind(this.#metaGroup, 'v1', kind);
  }

  loadedMetaKind(kind: string): Kind | undefined {
    return this.loadedKind(this.#metaGroup, 'v1', kind);
  }
}

const ofHigherPriority = (a: GroupVersionData, b: GroupVersionData): GroupVersionData => (b.groupPriority > a.groupPriority ? b : a);
