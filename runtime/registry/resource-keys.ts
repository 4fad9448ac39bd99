/** Keys of stored objects, and what they say. */
import type { Registry, Resource } from './registry.ts';

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

/** Finds the resource of a key. */
export class ResourceKeys {
  readonly #registry: Registry;
  #resources: ReadonlyMap<string, Resource> | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** every served resource that is stored, by the prefix of its keys, without a slash at the end */
  get resources(): ReadonlyMap<string, Resource> {
    this.#resources ??= new Map(this.#registry.storedResources().map((resource) => [resource.data.storage?.prefix as string, resource]));
    return this.#resources;
  }

  /** @returns undefined for a key of something that is not served */
  parse(key: string): NamedObject | undefined {
    let slash = key.indexOf('/');
    let resource = this.resources.get(key.slice(0, slash));
    if (resource === undefined) {
      // Some prefixes have two segments.
      slash = key.indexOf('/', slash + 1);
      resource = this.resources.get(key.slice(0, slash));
      if (resource === undefined) return undefined;
    }
    if (resource.data.scope === 'Cluster') return { resource, namespace: '', name: key.slice(slash + 1) };
    const second = key.indexOf('/', slash + 1);
    return { resource, namespace: key.slice(slash + 1, second), name: key.slice(second + 1) };
  }
}
