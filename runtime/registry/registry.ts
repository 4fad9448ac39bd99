/**
 * The one place where the server learns of groups, versions, resources and kinds. It is handed the generated data at start and resolves
 * the dialect's names in it; definitions of further resources come, change and go while the server runs. What is served at one time is a
 * snapshot, which is swapped as a whole: a request takes one at its beginning and keeps it.
 */
import type { Identity } from '../contract/identity.ts';
import type { GroupVersionData, ResourceData } from '../contract/kind.ts';
import type { RuleModules } from '../contract/rule-modules.ts';
import { BuiltInKinds } from './built-in-kinds.ts';
import { type DefinedGroupVersion, DefinedResource, definedGroupVersions } from './defined-resources.ts';
import { gvKey, type KindLoaderParts } from './kind-loader.ts';
import type { KindSource } from './kind-source.ts';
import { RegistrySnapshot } from './registry-snapshot.ts';
import { makeResource, type Resource } from './resource.ts';
import { definitionKey, type ResourceDefinition } from './resource-definition.ts';

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

/** Definitions that change together. */
export interface DefinitionChanges {
  /** each takes the place of the one of the same group and resource, if there is one */
  readonly defined: readonly ResourceDefinition[];
  /** group and resource of those that go; one that is not there is as good */
  readonly removed: readonly Pick<ResourceDefinition, 'group' | 'name'>[];
}

/** Told after a swap. @param gone resources of the snapshot before that are not in this one, changed ones among them. Must not throw. */
export type SwapListener = (current: RegistrySnapshot, gone: readonly Resource[]) => void;

export class Registry {
  readonly identity: Identity;
  readonly #kindParts: Omit<KindLoaderParts, 'module'>;
  readonly #builtIn: {
    readonly groupVersions: readonly GroupVersionData[];
    readonly resources: readonly Resource[];
    readonly kinds: BuiltInKinds;
  };
  /** by their names, as `definitionKey` joins them */
  readonly #defined = new Map<string, DefinedResource>();
  readonly #listeners = new Set<SwapListener>();
  #definedVersions: ReadonlyMap<string, DefinedGroupVersion> = new Map();
  #current: RegistrySnapshot;

  /** @throws Error when a schema names something that the identity does not have */
  constructor({ data, identity, rules, serves, featureEnabled, release }: RegistryParts) {
    this.identity = identity;
    this.#kindParts = { identity, rules, release, featureEnabled };
    const resolved = data.map((each) => ({
      ...each,
      group: identity.text(each.group),
      ...enabledResources(identity.resolve(each.resources), featureEnabled),
    }));
    const all = new Map(resolved.map((each) => [gvKey(each.group, each.version), each]));
    const groupVersions = resolved.filter((each) => each.resources.length > 0 && serves(each)).sort(discoveryOrder);
    const kinds = new BuiltInKinds(all, this.#kindParts);
    this.#builtIn = {
      groupVersions,
      resources: builtInResources(groupVersions, all, kinds),
      kinds,
    };
    this.#current = this.#snapshot();
  }

  /** What is served now. Who does several things that belong together keeps it meanwhile. */
  get current(): RegistrySnapshot {
    return this.#current;
  }

  /** Swaps what is served, all at once. */
  change({ defined, removed }: DefinitionChanges): void {
    const gone: Resource[] = [];
    const remove = (key: string): void => {
      gone.push(...(this.#defined.get(key)?.resources ?? []));
      this.#defined.delete(key);
    };
    for (const each of removed) remove(definitionKey(each));
    for (const each of defined) {
      const key = definitionKey(each);
      remove(key);
      this.#defined.set(key, new DefinedResource(each, this.#kindParts));
    }
    if (gone.length === 0 && defined.length === 0) return;
    this.#definedVersions = definedGroupVersions(this.#defined.values(), this.#definedVersions);
    this.#current = this.#snapshot();
    for (const listener of this.#listeners) listener(this.#current, gone);
  }

  /** @returns ends it */
  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A group version of the schemas wins over one of the same name that definitions have. */
  #snapshot(): RegistrySnapshot {
    const { groupVersions, resources, kinds } = this.#builtIn;
    const names = new Set(groupVersions.map(({ group, version }) => gvKey(group, version)));
    const added = [...this.#definedVersions].filter(([key]) => !names.has(key)).map(([, each]) => each);
    return new RegistrySnapshot({
      groupVersions: added.length === 0 ? groupVersions : [...groupVersions, ...added.map(({ data }) => data)].sort(discoveryOrder),
      resources: [...resources, ...added.flatMap((each) => each.resources)],
      builtIn: kinds,
      defined: new Map([...this.#defined.values()].flatMap((each) => [...each.kinds])),
      metaGroup: this.identity.text('meta.${groupDomain}'),
    });
  }
}

function builtInResources(
  served: readonly GroupVersionData[],
  all: ReadonlyMap<string, GroupVersionData>,
  kinds: KindSource,
): readonly Resource[] {
  const byPrefix = new Map<string, Resource[]>();
  return served.flatMap((groupVersion) =>
    groupVersion.resources.map((data) => {
      const prefix = data.storage?.prefix;
      const versions = (prefix !== undefined && byPrefix.get(prefix)) || [];
      if (prefix !== undefined) byPrefix.set(prefix, versions);
      const first = versions[0];
      const resource = makeResource(groupVersion, data, hubResource(all, data), first?.versions ?? { served: versions, kinds });
      versions.push(resource);
      return resource;
    }),
  );
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

function discoveryOrder(a: GroupVersionData, b: GroupVersionData): number {
  return b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : a.group > b.group ? 1 : b.versionPriority - a.versionPriority);
}
