/** Keys of stored objects, and what they say. */
import type { Registry } from './registry.ts';
import type { Resource } from './resource.ts';

/** @param namespace not looked at for resources of the cluster */
export function storageKey({ data }: Resource, namespace: string, name: string): string {
  const prefix = data.storage?.prefix ?? data.name;
  return data.scope === 'Namespaced' ? `${prefix}/${namespace}/${name}` : `${prefix}/${name}`;
}

/** Prefix of the keys of all objects of a resource, or of those of one namespace; ends with a slash. */
export function storagePrefix({ data }: Resource, namespace: string): string {
  const prefix = data.storage?.prefix ?? data.name;
  return namespace === '' || data.scope === 'Cluster' ? `${prefix}/` : `${prefix}/${namespace}/`;
}

export interface NamedObject {
  readonly resource: Resource;
  /** '' for objects of the cluster */
  readonly namespace: string;
  readonly name: string;
}

/** Finds the resource of a key, as it is served at the time. */
export class ResourceKeys {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** every served resource that is stored */
  get resources(): Iterable<Resource> {
    return this.#registry.current.storedResources();
  }

  /** @returns undefined for a key of something that is not served */
  parse(key: string): NamedObject | undefined {
    const registry = this.#registry.current;
    const first = key.indexOf('/');
    const second = key.indexOf('/', first + 1);
    // Some prefixes have two segments.
    for (const slash of [first, second]) {
      const resource = slash < 0 ? undefined : registry.storedAt(key.slice(0, slash));
      if (resource !== undefined) return parseRest(resource, key.slice(slash + 1));
    }
    return undefined;
  }
}

function parseRest(resource: Resource, rest: string): NamedObject | undefined {
  if (resource.data.scope === 'Cluster') return { resource, namespace: '', name: rest };
  const slash = rest.indexOf('/');
  return slash < 0 ? undefined : { resource, namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
