/**
 * Brings definitions of resources from the store into the registry, in every process that serves it, at the store's revision. All definitions that have changed
 * since the last look are swapped in together.
 */
import { inTurns, turn } from '../event-loop/turns.ts';
import type { Registry } from './resources/registry.ts';
import type { ResourceDefinition } from './resources/resource-definition.ts';
import type { FollowerSink } from './stored-objects/store-follower.ts';
import type { StoredObject } from './stored-objects/stored-object.ts';
import type { WatchHub } from './watch/watch-hub.ts';

/** Makes definitions of resources from stored objects. */
export interface DefinitionSource {
  /** prefix of the keys of the objects that define resources, without a slash at the end */
  readonly prefix: string;
  /**
   * Makes the definition of a stored object. Must not throw.
   * @param stored its bytes are good during the call
   * @param before the definition of the object before its change; returned again where the definition has not changed
   * @returns undefined for an object that defines nothing to serve
   */
  define(stored: StoredObject, before?: ResourceDefinition): ResourceDefinition | undefined;
  /** Whether `define` would take long. @param stored its bytes are good during the call */
  isLong(stored: StoredObject): boolean;
  /**
   * Does the part of `define` that takes long, in pieces. Must not throw.
   * @param stored its bytes do not change
   * @returns does the rest, in pieces too, and gives what `define` gives
   */
  defineSlices(
    stored: StoredObject,
  ): Generator<void, (before?: ResourceDefinition) => Generator<void, ResourceDefinition | undefined, void>, void>;
}

interface Followed {
  readonly resourceVersion: string;
  readonly definition: ResourceDefinition | undefined;
}

/**
 * Called with each change of a definition, before the registry has it. Must not throw.
 * @param name of the object that defines the resource
 * @param before undefined: it defined nothing
 * @param now undefined: it defines nothing any more
 * @param isFirst whether the object was there when the server began
 */
export type DefinitionListener = (
  name: string,
  before: ResourceDefinition | undefined,
  now: ResourceDefinition | undefined,
  isFirst: boolean,
) => void;

/** A long definition that is being read, and will then be added to the registry. */
interface Reading {
  readonly group: string;
  readonly done: Promise<void>;
}

export class DefinitionFollower implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly #source: DefinitionSource;
  readonly #registry: Registry;
  readonly #mayTakeLong: boolean;
  readonly #changed: DefinitionListener;
  /** the definitions that the registry has, by key */
  readonly #known = new Map<string, Followed>();
  /** the definitions that the registry gets with the next swap, by key; undefined: the definition goes */
  readonly #next = new Map<string, Followed | undefined>();
  /** long definitions that are being read, by key; until then the registry has the definitions of before */
  readonly #reading = new Map<string, Reading>();
  /** Before the server has begun, long definitions are read at once: no request waits. */
  #hasBegun = false;

  /** @param mayTakeLong whether long definitions are read at once: no other requests wait for this thread. Else they are read in slices, between other work */
  constructor(source: DefinitionSource, registry: Registry, mayTakeLong: boolean, changed: DefinitionListener = () => {}) {
    this.#source = source;
    this.#registry = registry;
    this.#mayTakeLong = mayTakeLong;
    this.#changed = changed;
    this.prefixes = [source.prefix];
  }

  /** Takes all definitions for gone. Those that there are come again as changes, and unchanged ones stay the same. */
  reset(): void {
    this.#reading.clear();
    for (const key of this.#known.keys()) this.#next.set(key, undefined);
  }

  change(key: string, stored: StoredObject | undefined): void {
    this.#reading.delete(key);
    if (stored === undefined) this.#next.set(key, undefined);
    else if (this.#known.get(key)?.resourceVersion === stored.resourceVersion) this.#next.set(key, this.#known.get(key));
    else if (this.#hasBegun && !this.#mayTakeLong && this.#source.isLong(stored)) this.#readInTurns(key, stored);
    else this.#next.set(key, this.#follow(key, stored));
  }

  #follow(key: string, stored: StoredObject): Followed {
    const { resourceVersion } = stored;
    return { resourceVersion, definition: this.#source.define(stored, this.#known.get(key)?.definition) };
  }

  #readInTurns(key: string, stored: StoredObject): void {
    // `reset` may have noted the definition as gone: the one of before stays until the new one is read
    this.#next.delete(key);
    const reading = { group: groupOf(key), done: Promise.resolve() };
    this.#reading.set(key, reading);
    const copy = stored.kept();
    // in a later turn, when all changes of the same look were handed over
    reading.done = turn().then(() => inTurns(this.#whileCurrent(key, reading, copy)));
  }

  /** Ends where it is when the definition has changed again. */
  *#whileCurrent(key: string, reading: Reading, stored: StoredObject): Generator<void, void, void> {
    const { resourceVersion } = stored;
    const slices = this.#takeIn(key, resourceVersion, this.#source.defineSlices(stored));
    do {
      yield;
      if (this.#reading.get(key) !== reading) return;
    } while (slices.next().done !== true);
    this.#reading.delete(key);
  }

  /** What the registry had of the key stays until this is at its end. */
  *#takeIn(key: string, resourceVersion: string, defining: ReturnType<DefinitionSource['defineSlices']>): Generator<void, void, void> {
    const define = yield* defining;
    const before = this.#known.get(key)?.definition;
    const definition = yield* define(before);
    if (definition !== before) this.#changed(nameOf(key), before, definition, false);
    if (definition !== before) yield* this.#registry.changeSlices({ defined: present(definition), removed: present(before) });
    this.#known.set(key, { resourceVersion, definition });
  }

  /**
   * Resolves when what definitions of a group were changed to before the call is in the registry, however long they are.
   * @param group absent: all groups. @returns undefined where it is there already
   */
  underWay(group?: string): Promise<void> | undefined {
    if (this.#reading.size === 0) return undefined;
    const reading = [...this.#reading.values()].filter((each) => group === undefined || each.group === group);
    return reading.length === 0 ? undefined : this.#read(reading, group);
  }

  /** What has changed again is read anew. */
  async #read(reading: readonly Reading[], group?: string): Promise<void> {
    await Promise.all(reading.map(({ done }) => done));
    await this.underWay(group);
  }

  settle(): void {
    const defined: ResourceDefinition[] = [];
    const removed: ResourceDefinition[] = [];
    for (const [key, next] of this.#next) {
      const known = this.#known.get(key);
      if (next === undefined) this.#known.delete(key);
      else this.#known.set(key, next);
      if (next?.definition === known?.definition) continue;
      this.#changed(nameOf(key), known?.definition, next?.definition, !this.#hasBegun);
      if (known?.definition !== undefined) removed.push(known.definition);
      if (next?.definition !== undefined) defined.push(next.definition);
    }
    this.#next.clear();
    this.#hasBegun = true;
    this.#registry.change({ defined, removed });
  }
}

const present = (definition: ResourceDefinition | undefined): readonly ResourceDefinition[] =>
  definition === undefined ? [] : [definition];

const nameOf = (key: string): string => key.slice(key.lastIndexOf('/') + 1);

/** Definitions have the names of their resources, which end with their groups. */
function groupOf(key: string): string {
  const name = nameOf(key);
  return name.slice(name.indexOf('.') + 1);
}

/**
 * Calls `wake` soon after definitions have changed, though nobody asks for anything: watches of what has gone end.
 * @param prefix as of `DefinitionSource`
 * @param revision of the store, now
 */
export function wakeOnChange(hub: WatchHub, prefix: string, revision: () => number, wake: () => void): void {
  const watch = (): void => {
    const source = { of: watch, prefix, namespaced: false, fieldsOf: () => [] };
    hub
      .subscribe(source, revision(), { namespace: '', trigger: undefined, deliver: () => true, flush: wake, fail, end: () => {} })
      .resume();
  };
  /** The history since the last change is gone. */
  const fail = (): void => {
    wake();
    watch();
  };
  watch();
}
