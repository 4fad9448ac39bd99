/** Objects that credentials stand on, read as they are at this moment: what is deleted revokes with the next request, in every process. */
import type { ApiObject } from '../contract/object.ts';
import { StoredObject } from '../registry/stored-object.ts';
import type { Storage } from '../storage/storage.ts';

/** Prefixes of their keys. */
const PREFIXES = { secrets: 'secrets', serviceaccounts: 'serviceaccounts', pods: 'pods', nodes: 'minions' } as const;

type Stored = keyof typeof PREFIXES;

export class StoredObjects {
  readonly #storage: Storage;
  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @param namespace '' for nodes. @returns undefined for an object that is not there */
  get(resource: Stored, namespace: string, name: string): ApiObject | undefined {
    const prefix = PREFIXES[resource];
    const entry = this.#storage.get(namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`);
    return entry && (new StoredObject(entry.value).parse() as ApiObject);
  }
}
