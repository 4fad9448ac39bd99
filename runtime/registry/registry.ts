/**
 * The one place where the server learns of groups, versions, resources and kinds. It is handed what the schemas state at
 * its start; definitions of further resources come, change and go while the server runs. What is served at one time is a
 * snapshot, which is swapped as a whole: a request takes one at its beginning and keeps it.
 */
import type { Identity } from '../contract/identity.ts';
import type { BuiltInApi } from './built-in-api.ts';
import { type DefinedGroup, DefinedResource, definedGroup } from './defined-resources.ts';
import type { RegistrySnapshot } from './registry-snapshot.ts';
import type { Resource } from './resource.ts';
import type { ResourceDefinition } from './resource-definition.ts';

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
  /** by their groups, then by their names */
  readonly #defined = new Map<string, Map<string, DefinedResource>>();
  readonly #listeners = new Set<SwapListener>();
  #groups: ReadonlyMap<string, DefinedGroup> = new Map();
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

  /** Swaps what is served, all at once. What it costs depends on the groups that change, whatever number of others there is. */
  change({ defined, removed }: DefinitionChanges): void {
    const gone: Resource[] = [];
    const touched = new Set<string>();
    for (const each of removed) gone.push(...this.#take(each));
    for (const each of defined) {
      gone.push(...this.#take(each));
      this.#put(each);
      touched.add(each.group);
    }
    if (gone.length === 0 && touched.size === 0) return;
    for (const { groupVersion } of gone) touched.add(groupVersion.group);
    this.#groups = this.#groupsWith(touched);
    this.#current = this.#builtIn.snapshotWith(this.#groups);
    for (const listener of this.#listeners) listener(this.#current, gone);
  }

  /** @returns what goes */
  #take({ group, name }: Pick<ResourceDefinition, 'group' | 'name'>): readonly Resource[] {
    const ofGroup = this.#defined.get(group);
    const taken = ofGroup?.get(name);
    if (ofGroup === undefined || taken === undefined) return [];
    ofGroup.delete(name);
    if (ofGroup.size === 0) this.#defined.delete(group);
    return taken.unserved === undefined ? taken.resources : [...taken.resources, taken.unserved];
  }

  #put(definition: ResourceDefinition): void {
    const { group, name } = definition;
    const made = new DefinedResource(definition, this.#builtIn.kindParts);
    const ofGroup = this.#defined.get(group);
    if (ofGroup === undefined) this.#defined.set(group, new Map([[name, made]]));
    else ofGroup.set(name, made);
  }

  #groupsWith(touched: ReadonlySet<string>): ReadonlyMap<string, DefinedGroup> {
    const groups = new Map(this.#groups);
    for (const group of touched) {
      const defined = this.#defined.get(group);
      if (defined === undefined) groups.delete(group);
      else groups.set(group, definedGroup(defined.values(), groups.get(group)));
    }
    return groups;
  }

  /** @returns ends it */
  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
