import type { Storage } from '../../storage/storage.ts';
import { LatestCache } from './latest-cache.ts';
import { StoredObject } from './stored-object.ts';

export type NamespacePhase = 'Active' | 'Terminating';

/** Namespaces whose phases are kept. */
const MAX_KEPT = 4_096;

/** Whether namespaces are there, asked for every object that is created in one: read from the header of the stored namespace, once for each of its versions. */
export class NamespacePhases {
  readonly #phases: LatestCache<NamespacePhase>;

  constructor(storage: Storage) {
    this.#phases = new LatestCache(storage, { keys: MAX_KEPT }, ({ value }) =>
      new StoredObject(value).deleting ? 'Terminating' : 'Active',
    );
  }

  /** @returns undefined for a namespace that does not exist */
  readonly of = (name: string): NamespacePhase | undefined => this.#phases.get(`namespaces/${name}`);
}
