/**
 * The one place where the server learns of groups, versions, resources and kinds. It is handed what the schemas state at
 * its start; definitions of further resources come, change and go while the server runs. What is served at one time is a
 * snapshot, which is swapped as a whole: a request takes one at its beginning and keeps it.
 */
import type { Identity } from '../../contract/identity.ts';
import { atOnce } from '../../schema/at-once.ts';
import type { BuiltInApi } from './built-in-api.ts';
import { type DefinedGroup, type DefinedResource, definedGroup, definedResource } from './defined-resources.ts';
import type { RegistrySnapshot } from './registry-snapshot.ts';
import type { Resource } from './resource.ts';
import type { ResourceDefinition } from './resource-definition.ts';

/** Definitions that change together. */
export interface DefinitionChanges {
  /** new definitions, each of which replaces the one of the same group and resource, if there is one */
  readonly defined: readonly ResourceDefinition[];
  /** the groups and resources of definitions to remove, which need not exist */
  readonly removed: readonly Pick<ResourceDefinition, 'group' | 'name'>[];
}

/**
 * Is called after the snapshot was replaced. It must not throw.
 * @param gone the resources of the snapshot before that are not in the current one, including those that have changed
 */
export type SwapListener = (current: RegistrySnapshot, gone: readonly Resource[]) => void;

/** How many times groups are put together in pieces if other changes of the same groups come meanwhile; after that, it is done without pauses. */
const MOST_TRIES = 8;

/** A group that is being changed. */
interface TouchedGroup {
  /** its definitions when the change began; undefined if there were none */
  readonly base: ReadonlyMap<string, DefinedResource> | undefined;
  readonly before: DefinedGroup | undefined;
  readonly next: Map<string, DefinedResource>;
  /** the resources of definitions that are removed or replaced */
  readonly gone: Resource[];
  /** what the group serves after the change; undefined if it no longer exists */
  served: DefinedGroup | undefined;
}

export class Registry {
  readonly identity: Identity;
  /** the release whose API is served, such as `1.32` */
  readonly release: string;
  readonly #builtIn: BuiltInApi;
  /** the definitions by their groups, then by their names; a group that changes gets another map */
  readonly #defined = new Map<string, ReadonlyMap<string, DefinedResource>>();
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
  change(changes: DefinitionChanges): void {
    atOnce(this.changeSlices(changes));
  }

  /**
   * The same for definitions of many versions: yields between its pieces, and swaps at its end. Who gives it up has changed nothing. Where others change
   * the same groups meanwhile, what they have made of these counts, and the groups are put together anew.
   */
  *changeSlices({ defined, removed }: DefinitionChanges): Generator<void, void, void> {
    const made: DefinedResource[] = [];
    for (const each of defined) made.push(yield* definedResource(each, this.#builtIn.kindParts));
    for (let left = MOST_TRIES; ; left--) {
      const touched = this.#touched(made, removed);
      for (const each of touched.values()) {
        const slices = this.#putTogether(each);
        // whoever changes a group all the time does not keep others from it
        if (left > 0) yield* slices;
        else atOnce(slices);
      }
      if ([...touched].every(([group, { base }]) => this.#defined.get(group) === base)) return this.#swap(touched);
    }
  }

  /** What groups are to have, by their names; those that stay as they are are not there. */
  #touched(made: readonly DefinedResource[], removed: DefinitionChanges['removed']): Map<string, TouchedGroup> {
    const touched = new Map<string, TouchedGroup>();
    const of = (group: string): TouchedGroup => {
      const base = this.#defined.get(group);
      const known = touched.get(group) ?? { base, next: new Map(base), gone: [], served: undefined, before: this.#groups.get(group) };
      touched.set(group, known);
      return known;
    };
    for (const { group, name } of removed) if (this.#defined.get(group)?.has(name) === true) take(of(group), name);
    for (const each of made) {
      const { group, name } = each.definition;
      const groupOf = of(group);
      take(groupOf, name);
      groupOf.next.set(name, each);
    }
    return touched;
  }

  *#putTogether(touched: TouchedGroup): Generator<void, void, void> {
    if (touched.next.size > 0) touched.served = yield* definedGroup(touched.next.values(), touched.before);
  }

  #swap(touched: ReadonlyMap<string, TouchedGroup>): void {
    if (touched.size === 0) return;
    const groups = new Map(this.#groups);
    for (const [group, { next, served }] of touched) {
      if (served === undefined) this.#defined.delete(group);
      else this.#defined.set(group, next);
      if (served === undefined) groups.delete(group);
      else groups.set(group, served);
    }
    this.#groups = groups;
    this.#current = this.#builtIn.snapshotWith(groups);
    const gone = [...touched.values()].flatMap((each) => each.gone);
    for (const listener of this.#listeners) listener(this.#current, gone);
  }

  /** @returns ends it */
  onSwap(listener: SwapListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function take({ next, gone }: TouchedGroup, name: string): void {
  const taken = next.get(name);
  if (taken === undefined) return;
  next.delete(name);
  for (const each of taken.resources) gone.push(each);
  if (taken.unserved !== undefined) gone.push(taken.unserved);
}
