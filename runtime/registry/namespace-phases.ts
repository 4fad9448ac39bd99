import type { Storage } from '../storage/storage.ts';
import { StoredObject } from './stored-object.ts';

/** Whether namespaces are there, asked for every object that is created in one: read from the header of the stored namespace. */
export class NamespacePhases {
  readonly #storage: Storage;
  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @returns undefined for a namespace that does not exist */
  readonly of = (name: string): 'Active' | 'Terminating' | undefined => {
    const entry = this.#storage.get(`namespaces/${name}`);
    if (entry === undefined) return undefined;
    return new StoredObject(entry.value).deleting ? 'Terminating' : 'Active';
  };
}
