/** Objects by the names of their resources, read as they are at this moment, whichever process wrote them: what is deleted counts no more with the next request. */
import type { GroupVersionData } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { LatestCache } from './latest-cache.ts';
import { StoredObject } from './stored-object.ts';

/** Objects that are kept, and the longest stored bytes of one. */
const MAX_KEPT = 512;
const MAX_KEPT_BYTES = 4_096;

export class ObjectLookup {
  readonly #storage: Storage;
  readonly #shared: LatestCache<ApiObject>;
  /** by names of resources: those of one name, in other groups, are stored under the same */
  readonly #prefixes: ReadonlyMap<string, string>;

  /** @param groupVersions of all that may be stored, served or not */
  constructor(storage: Storage, groupVersions: readonly GroupVersionData[]) {
    this.#storage = storage;
    const resources = groupVersions.flatMap((each) => each.resources);
    this.#prefixes = new Map(resources.flatMap(({ name, storage: stored }) => (stored === undefined ? [] : [[name, stored.prefix]])));
    this.#shared = new LatestCache(storage, { keys: MAX_KEPT, bytes: MAX_KEPT_BYTES }, parse);
  }

  /** @param resource such as `pods`. @param namespace '' for what has none. @returns undefined for an object that is not there */
  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    const entry = this.#storage.get(this.#keyOf(resource, namespace, name));
    return entry && parse(entry);
  }

  /** As `get`, for what many requests ask for: an object that nobody may change, parsed again only when it was written. */
  shared(resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#shared.get(this.#keyOf(resource, namespace, name));
  }

  #keyOf(resource: string, namespace: string, name: string): string {
    const prefix = this.#prefixes.get(resource);
    if (prefix === undefined) throw new Error(`${resource} are not stored`);
    return namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`;
  }
}

function parse({ value }: Entry): ApiObject {
  return new StoredObject(value).parse();
}
