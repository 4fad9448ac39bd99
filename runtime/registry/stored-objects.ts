/** Objects of the core group, read as they are at this moment, whichever process wrote them: what is deleted counts no more with the next request. */
import type { ApiObject } from '../contract/object.ts';
import type { Storage } from '../storage/storage.ts';
import { StoredObject } from './stored-object.ts';

/** Prefixes of their keys. */
const PREFIXES = {
  configmaps: 'configmaps',
  namespaces: 'namespaces',
  nodes: 'minions',
  pods: 'pods',
  secrets: 'secrets',
  serviceaccounts: 'serviceaccounts',
} as const;

export class StoredObjects {
  readonly #storage: Storage;
  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @param namespace '' for what has none. @returns undefined for an object that is not there */
  get(resource: keyof typeof PREFIXES, namespace: string, name: string): ApiObject | undefined {
    const prefix = PREFIXES[resource];
    const entry = this.#storage.get(namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`);
    return entry && (new StoredObject(entry.value).parse() as ApiObject);
  }
}
