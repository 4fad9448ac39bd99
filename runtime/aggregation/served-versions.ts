/** All group versions at this address. A version that another server answers hides one of the same name of this server. */
import type { GroupVersionData } from '../contract/kind.ts';
import { versionOrder } from '../registry/resources/discovery-order.ts';
import type { RegistrySnapshot } from '../registry/resources/registry-snapshot.ts';
import type { RemoteVersion } from './remote-version.ts';
import type { RemoteVersions } from './remote-versions.ts';

const NOT_HERE = 'another server answers this group version';

export class ServedVersions {
  readonly #local: () => RegistrySnapshot;
  readonly #remotes: RemoteVersions;
  readonly #first: string;
  readonly #descriptions = new WeakMap<RemoteVersion, GroupVersionData>();
  readonly #remoteOf = new WeakMap<GroupVersionData, RemoteVersion>();
  #made: { readonly of: RegistrySnapshot; readonly all: readonly GroupVersionData[] } | undefined;

  /** @param first the group that is listed before all others: as in 1.32, that of APIServices */
  constructor(local: () => RegistrySnapshot, remotes: RemoteVersions, first: string) {
    this.#first = first;
    this.#local = local;
    this.#remotes = remotes;
    remotes.onChange(() => {
      this.#made = undefined;
    });
  }

  /** In the order of discovery. The priority of a group is the highest among its versions. */
  get groupVersions(): readonly GroupVersionData[] {
    const of = this.#local();
    if (this.#remotes.size === 0) return of.groupVersions;
    if (this.#made?.of !== of) this.#made = { of, all: this.#all(of) };
    return this.#made.all;
  }

  /** undefined for a version that this server answers itself */
  remoteOf(groupVersion: GroupVersionData): RemoteVersion | undefined {
    return this.#remoteOf.get(groupVersion);
  }

  #all({ groupVersions }: RegistrySnapshot): readonly GroupVersionData[] {
    const remotes = this.#remotes.all();
    const hidden = new Set(remotes.map(({ name }) => name));
    const local = groupVersions.filter(({ group, version }) => !hidden.has(`${version}.${group}`));
    return inOrder([...local, ...remotes.map((each) => this.#described(each))], this.#first);
  }

  #described(remote: RemoteVersion): GroupVersionData {
    const known = this.#descriptions.get(remote);
    if (known !== undefined) return known;
    const { group, version, groupPriority, versionPriority } = remote;
    const described: GroupVersionData = {
      group,
      version,
      folder: '',
      groupPriority,
      versionPriority,
      enabledByDefault: true,
      resources: [],
      hidden: [],
      load: () => Promise.reject(new Error(NOT_HERE)),
      loadOpenapi: () => Promise.reject(new Error(NOT_HERE)),
    };
    this.#descriptions.set(remote, described);
    this.#remoteOf.set(described, remote);
    return described;
  }
}

function inOrder(all: readonly GroupVersionData[], first: string): readonly GroupVersionData[] {
  const priorities = new Map<string, number>();
  for (const { group, groupPriority } of all) priorities.set(group, Math.max(groupPriority, priorities.get(group) ?? 0));
  priorities.set(first, Number.MAX_SAFE_INTEGER);
  const priorityOf = ({ group }: GroupVersionData): number => priorities.get(group) ?? 0;
  return all.toSorted(
    (a, b) => priorityOf(b) - priorityOf(a) || (a.group < b.group ? -1 : a.group > b.group ? 1 : 0) || versionOrder(a, b),
  );
}
