/**
 * Objects by the names of their resources, read as they are at this moment, whichever process wrote them: what is deleted counts no more with the next request.
 */
import type { GroupVersionData } from '../../contract/kind.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import { memberOf } from '../../schema/json/json-members.ts';
import { parseNativeJson } from '../../schema/json/native-json.ts';
import { type Entry, keptValue, prefixEnd, type Storage } from '../../storage/storage.ts';
import { LatestCache } from './latest-cache.ts';
import { isLong, requireShort } from './long-value.ts';
import { type Members, READ_AT_ONCE, readInTurns, readParts } from './sliced-reading.ts';
import { StoredObject } from './stored-object.ts';

/** Objects that are kept, and the longest stored bytes of one. */
const MAX_KEPT = 512;
const MAX_KEPT_BYTES = 4_096;
/** Objects that are read in one turn. */
const PIECE = 16;

/** What tells an object from another one of its name. */
export type ObjectIdentity = Pick<ObjectMeta, 'uid' | 'deletionTimestamp'>;

export class ObjectLookup {
  readonly #storage: Storage;
  readonly #groupVersions: readonly GroupVersionData[];
  readonly #readsLong: boolean;
  readonly #shared: LatestCache<ApiObject>;
  readonly #identities: LatestCache<ObjectIdentity>;
  /** the prefixes of keys by the names of resources; resources of the same name in several groups have the same prefix */
  readonly #prefixes: ReadonlyMap<string, string>;

  /**
   * @param groupVersions the group versions of everything that may be stored, served or not
   * @param readsLong whether objects are read that take long, which must not happen on a thread that others wait for
   */
  constructor(storage: Storage, groupVersions: readonly GroupVersionData[], readsLong = true) {
    this.#storage = storage;
    this.#groupVersions = groupVersions;
    this.#readsLong = readsLong;
    const resources = groupVersions.flatMap((each) => each.resources);
    this.#prefixes = new Map(resources.flatMap(({ name, storage: stored }) => (stored === undefined ? [] : [[name, stored.prefix]])));
    this.#shared = new LatestCache(storage, { keys: MAX_KEPT, bytes: MAX_KEPT_BYTES }, (entry) => this.#parse(entry));
    this.#identities = new LatestCache(storage, { keys: MAX_KEPT }, ({ value }) => identityOf(new StoredObject(value)));
  }

  /** Returns a lookup that reads long objects, too, for work that nobody waits for. */
  forOwnWork(): ObjectLookup {
    return this.#readsLong ? this : new ObjectLookup(this.#storage, this.#groupVersions);
  }

  /**
   * @param resource such as `pods`. @param namespace '' for what has none. @returns undefined for an object that is not there
   * @throws LongObject
   */
  get(resource: string, namespace: string, name: string): ApiObject | undefined {
    const entry = this.#storage.get(this.#keyOf(resource, namespace, name));
    return entry && this.#parse(entry);
  }

  /** Does the same as `get` for an object of any length, of which only the metadata and some members are needed. @returns a promise for a long object */
  parts(resource: string, namespace: string, name: string, members: Members): ApiObject | undefined | Promise<ApiObject> {
    const entry = this.#storage.get(this.#keyOf(resource, namespace, name));
    const stored = entry && new StoredObject(entry.value);
    if (stored === undefined || !isLong(stored.json, 'reading')) return stored?.parse();
    return readInTurns(stored, members);
  }

  /**
   * All objects of a namespace in the order of their names, a few at a time, each piece as it is when it is asked for: others have their turns in
   * between. @param members that are wanted besides the metadata; what is short has all of them
   */
  async *inPieces(resource: string, namespace: string, members: Members): AsyncGenerator<readonly ApiObject[]> {
    const prefix = this.#keyOf(resource, namespace, '');
    const end = prefixEnd(prefix);
    for (let start = prefix; ; await turn()) {
      const read: (ApiObject | Promise<ApiObject>)[] = [];
      for (const { key, value } of this.#storage.range({ start, end, limit: PIECE })) {
        start = `${key}\0`;
        // its bytes are the store's, until the next one comes
        read.push(readParts(new StoredObject(value.length > READ_AT_ONCE ? keptValue(value) : value), members));
      }
      yield await Promise.all(read);
      if (read.length < PIECE) return;
    }
  }

  /** Counts the objects of a namespace. */
  count(resource: string, namespace: string): number {
    const start = this.#keyOf(resource, namespace, '');
    return this.#storage.count({ start, end: prefixEnd(start) });
  }

  /** Who an object is, whatever its length: read again only when it was written. */
  identity(resource: string, namespace: string, name: string): ObjectIdentity | undefined {
    return this.#identities.get(this.#keyOf(resource, namespace, name));
  }

  /** Does the same as `get` for an object that many requests need. It is parsed again only after it was written, and nobody may change it. */
  shared(resource: string, namespace: string, name: string): ApiObject | undefined {
    return this.#shared.get(this.#keyOf(resource, namespace, name));
  }

  #parse({ value }: Entry): ApiObject {
    const stored = new StoredObject(value);
    if (!this.#readsLong) requireShort(stored.json);
    return stored.parse();
  }

  #keyOf(resource: string, namespace: string, name: string): string {
    const prefix = this.#prefixes.get(resource);
    if (prefix === undefined) throw new Error(`${resource} are not stored`);
    return namespace === '' ? `${prefix}/${name}` : `${prefix}/${namespace}/${name}`;
  }
}

/** Who an object is, of its metadata alone. @param stored its bytes need to be valid only during the call */
export function identityOf(stored: StoredObject): ObjectIdentity {
  const text = (name: string): string | undefined => {
    const member = memberOf(stored.metadata, name);
    return member && parseNativeJson<string>(stored.metadata.toString('utf8', member.start, member.end));
  };
  const deletionTimestamp = stored.deleting ? text('deletionTimestamp') : undefined;
  return { uid: text('uid') ?? '', ...(deletionTimestamp !== undefined && { deletionTimestamp }) };
}
