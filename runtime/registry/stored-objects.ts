/** Objects of the core group and drivers of volumes, read as they are at this moment, whichever process wrote them: what is deleted counts no more with the next request. */
import type { ApiObject } from '../contract/object.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { StoredObject } from './stored-object.ts';

/** Prefixes of their keys. */
const PREFIXES = {
  csidrivers: 'csidrivers',
  configmaps: 'configmaps',
  namespaces: 'namespaces',
  nodes: 'minions',
  persistentvolumeclaims: 'persistentvolumeclaims',
  persistentvolumes: 'persistentvolumes',
  pods: 'pods',
  secrets: 'secrets',
  serviceaccounts: 'serviceaccounts',
} as const;

/** Objects that are kept by their revision, and the longest stored bytes of one. */
const MAX_KEPT = 512;
const MAX_KEPT_BYTES = 4_096;

export class StoredObjects {
  readonly #storage: Storage;
  readonly #kept = new Map<string, { readonly revision: number; readonly object: ApiObject }>();
  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** @param namespace '' for what has none. @returns undefined for an object that is not there */
  get(resource: keyof typeof PREFIXES, namespace: string, name: string): ApiObject | undefined {
    const entry = this.#storage.get(keyOf(resource, namespace, name));
    return entry && parse(entry);
  }

  /** As `get`, for what many requests ask for: an object that nobody may change, parsed again only when it was written. */
  shared(resource: keyof typeof PREFIXES, namespace: string, name: string): ApiObject | undefined {
    const key = keyOf(resource, namespace, name);
    const revision = this.#storage.revisionOf(key);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.revision === revision) return kept.object;
    const entry = revision === undefined ? undefined : this.#storage.get(key);
    if (entry === undefined) {
      this.#kept.delete(key);
      return undefined;
    }
    const object = parse(entry);
    if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
    if (entry.value.length <= MAX_KEPT_BYTES) this.#kept.set(key, { revision: entry.revision, object });
    return object;
  }
}

function keyOf(resource: keyof typeof PREFIXES, namespace: string, name: string): string {
  const prefix = PREFIXES[resource];
  return namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`;
}

function parse({ value }: Entry): ApiObject {
  return new StoredObject(value).parse() as ApiObject;
}
