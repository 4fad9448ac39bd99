/**
 * Brings definitions of resources from the store into the registry, in every process that serves it, at the store's revision: all that have changed
 * since the last look are swapped in together.
 */
import type { Registry } from './registry.ts';
import type { ResourceDefinition } from './resource-definition.ts';
import type { FollowerSink } from './store-follower.ts';
import type { StoredObject } from './stored-object.ts';
import type { WatchHub } from './watch-hub.ts';

/** Where definitions come from. */
export interface DefinitionSource {
  /** of the keys of the objects that define resources, without a slash at the end */
  readonly prefix: string;
  /**
   * Must not throw.
   * @param stored valid during the call
   * @param before what the same object defined as it was; where that has not changed, it is returned
   * @returns undefined for one that defines nothing to serve
   */
  define(stored: StoredObject, before?: ResourceDefinition): ResourceDefinition | undefined;
}

interface Followed {
  readonly resourceVersion: string;
  readonly definition: ResourceDefinition | undefined;
}

export class DefinitionFollower implements FollowerSink {
  readonly prefixes: readonly string[];
  readonly #source: DefinitionSource;
  readonly #registry: Registry;
  /** what the registry has, by key */
  readonly #known = new Map<string, Followed>();
  /** what it gets next, by key; undefined: nothing */
  readonly #next = new Map<string, Followed | undefined>();

  constructor(source: DefinitionSource, registry: Registry) {
    this.#source = source;
    this.#registry = registry;
    this.prefixes = [source.prefix];
  }

  /** What does not come again has gone; what comes as it was stays as it is. */
  reset(): void {
    for (const key of this.#known.keys()) this.#next.set(key, undefined);
  }

  change(key: string, stored: StoredObject | undefined): void {
    this.#next.set(key, stored && this.#follow(key, stored));
  }

  #follow(key: string, stored: StoredObject): Followed {
    const { resourceVersion } = stored;
    const known = this.#known.get(key);
    return known !== undefined && known.resourceVersion === resourceVersion
      ? known
      : { resourceVersion, definition: this.#source.define(stored, known?.definition) };
  }

  settle(): void {
    const defined: ResourceDefinition[] = [];
    const removed: ResourceDefinition[] = [];
    for (const [key, next] of this.#next) {
      const known = this.#known.get(key);
      if (next === undefined) this.#known.delete(key);
      else this.#known.set(key, next);
      if (next?.definition === known?.definition) continue;
      if (known?.definition !== undefined) removed.push(known.definition);
      if (next?.definition !== undefined) defined.push(next.definition);
    }
    this.#next.clear();
    this.#registry.change({ defined, removed });
  }
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
