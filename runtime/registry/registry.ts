/**
 * The one place where the server learns of groups, versions, resources and kinds. It is handed what the schemas state at
 * its start; definitions of further resources come, change and go while the server runs. What is served at one time is a
 * snapshot, which is swapped as a whole: a request takes one at its beginning and keeps it.
 */
import type { Identity } from '../contract/identity.ts';
import type { BuiltInApi } from './built-in-api.ts';
import { type DefinedGroupVersion, DefinedResource, definedGroupVersions } from './defined-resources.ts';
import { gvKey } from './kind-loader.ts';
import type { RegistrySnapshot } from './registry-snapshot.ts';
import type { Resource } from './resource.ts';
import { definitionKey, type ResourceDefinition } from './resource-definition.ts';

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
  /** the one whose API is served, such as 1.32 */
  readonly release: string;
  readonly #builtIn: BuiltInApi;
  /** by their names, as `definitionKey` joins them */
  readonly #defined = new Map<string, DefinedResource>();
  readonly #listeners = new Set<SwapListener>();
  #definedVersions: ReadonlyMap<string, DefinedGroupVersion> = new Map();
  #current: RegistrySnapshot;

  constructor(builtIn: BuiltInApi) {
    this.identity = builtIn.kindParts.identity;
    this.release = builtIn.kindParts.release;
    this.#builtIn = builtIn;
    this.#current = builtIn.snapshot;
  }

  /** What is served now. Who does several things that belong together keeps it meanwhile. */
  get current(): RegistrySnapshot {
    return this.#current;
  }

  /** Swaps what is served, all at once. */
  change({ defined, removed }: DefinitionChanges): void {
    const gone: Resource[] = [];
    const remove = (key: string): void => {
      const { resources = [], unserved } = this.#defined.get(key) ?? {};
      gone.push(...resources, ...(unserved === undefined ? [] : [unserved]));
      this.#defined.delete(key);
    };
    for (const each of removed) remove(definitionKey(each));
    for (const each of defined) {
      const key = definitionKey(each);
      remove(key);
      this.#defined.set(key, new DefinedResource(each, this.#builtIn.kindParts));
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
    const names = new Set(this.#builtIn.groupVersions.map(({ group, version }) => gvKey(group, version)));
    const added = [...this.#definedVersions].filter(([key]) => !names.has(key)).map(([, each]) => each);
    const defined = [...this.#defined.values()];
    return this.#builtIn.snapshotWith({
      groupVersions: added.map(({ data }) => data),
      resources: added.flatMap((each) => each.resources),
      unserved: defined.flatMap(({ unserved }) => unserved ?? []),
      defined: new Map(defined.flatMap((each) => [...each.kinds])),
    });
  }
}
