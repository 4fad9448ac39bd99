import type { Storage } from '../storage/storage.ts';
import { StoredObject } from './stored-object.ts';

export type NamespacePhase = 'Active' | 'Terminating';

/** Namespaces whose phases are kept. */
const MAX_KEPT = 4_096;

/** Whether namespaces are there, asked for every object that is created in one: read from the header of the stored namespace, once for each of its versions. */
export class NamespacePhases {
  readonly #storage: Storage;
  readonly #kept = new Map<string, { readonly revision: number; readonly phase: NamespacePhase }>();
  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @returns undefined for a namespace that does not exist */
  readonly of = (name: string): NamespacePhase | undefined => {
    const key = `namespaces/${name}`;
    const revision = this.#storage.revisionOf(key);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.revision === revision) return kept.phase;
    const entry = revision === undefined ? undefined : this.#storage.get(key);
    if (entry === undefined) {
      this.#kept.delete(name);
      return undefined;
    }
    const phase = new StoredObject(entry.value).deleting ? 'Terminating' : 'Active';
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    this.#kept.set(name, { revision: entry.revision, phase });
    return phase;
  };
}
