/** Objects of the core group and drivers of volumes, read as they are at this moment, whichever process wrote them: what is deleted counts no more with the next request. */
import type { ApiObject } from '../contract/object.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { LatestCache } from './latest-cache.ts';
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

/** Objects that are kept, and the longest stored bytes of one. */
const MAX_KEPT = 512;
const MAX_KEPT_BYTES = 4_096;

export class StoredObjects {
  readonly #storage: Storage;
  readonly #shared: LatestCache<ApiObject>;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#shared = new LatestCache(storage, { keys: MAX_KEPT, bytes: MAX_KEPT_BYTES }, parse);
  }

  /** @param namespace '' for what has none. @returns undefined for an object that is not there */
  get(resource: keyof typeof PREFIXES, namespace: string, name: string): ApiObject | undefined {
    const entry = this.#storage.get(keyOf(resource, namespace, name));
    return entry && parse(entry);
  }

  /** As `get`, for what many requests ask for: an object that nobody may change, parsed again only when it was written. */
  shared(resource: keyof typeof PREFIXES, namespace: string, name: string): ApiObject | undefined {
    return this.#shared.get(keyOf(resource, namespace, name));
  }
}

function keyOf(resource: keyof typeof PREFIXES, namespace: string, name: string): string {
  const prefix = PREFIXES[resource];
  return namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`;
}

function parse({ value }: Entry): ApiObject {
  return new StoredObject(value).parse();
}
