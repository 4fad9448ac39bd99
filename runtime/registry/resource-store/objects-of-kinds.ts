/**
 * Objects of any kind that is served, in the version that is asked for, as they are at this moment, whichever process wrote them: for what many requests
 * read again and again, such as parameters of policies. They are read and converted again only when they were written.
 */
import type { ApiObject } from '../../contract/object.ts';
import { eachInTurns, turn } from '../../event-loop/turns.ts';
import { copyValue } from '../../schema/copy.ts';
import { type LabelSelector, matches } from '../../selectors/label-selector.ts';
import { RevisionCompacted } from '../../storage/errors.ts';
import { type Entry, prefixEnd, type Storage } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Registry } from '../resources/registry.ts';
import type { RegistrySnapshot } from '../resources/registry-snapshot.ts';
import type { Resource } from '../resources/resource.ts';
import { LongObject } from '../stored-objects/long-value.ts';
import { StoredObject } from '../stored-objects/stored-object.ts';
import type { ResourceStore } from './resource-store.ts';

type StoreOf = (resource: Resource) => ResourceStore | Promise<ResourceStore>;

/** Bytes of stored objects of one resource whose read form is kept, of single ones and of lists, and the number of lists. */
const KEPT_BYTES = 16 * 1024 * 1024;
const KEPT_LISTS = 64;
/** Objects whose labels are looked at in one turn. */
const PIECE = 500;

export class ObjectsOfKinds {
  readonly #storage: Storage;
  readonly #registry: Pick<Registry, 'current'>;
  readonly #storeOf: StoreOf;
  readonly #made = new WeakMap<Resource, ObjectsOfKind>();
  readonly #named = new WeakMap<RegistrySnapshot, Map<string, ObjectsOfKind | undefined>>();

  /** @param storeOf gives stores that read what this thread is to read */
  constructor(storage: Storage, registry: Pick<Registry, 'current'>, storeOf: StoreOf) {
    this.#storage = storage;
    this.#registry = registry;
    this.#storeOf = storeOf;
  }

  /** @param apiVersion `group/version`, or `version` in the core group. @returns undefined for a kind that is not served, or not stored */
  of(apiVersion: string, kind: string): ObjectsOfKind | undefined {
    const snapshot = this.#registry.current;
    let named = this.#named.get(snapshot);
    if (named === undefined) {
      named = new Map();
      this.#named.set(snapshot, named);
    }
    const key = `${apiVersion} ${kind}`;
    if (!named.has(key)) named.set(key, this.#find(snapshot, apiVersion, kind));
    return named.get(key);
  }

  #find(snapshot: RegistrySnapshot, apiVersion: string, kind: string): ObjectsOfKind | undefined {
    for (const { group, version, resources } of snapshot.groupVersions) {
      if (apiVersion !== (group === '' ? version : `${group}/${version}`)) continue;
      const data = resources.find((each) => each.kind === kind && each.storage !== undefined);
      const resource = data && snapshot.resource(group, version, data.name);
      if (resource === undefined) continue;
      const made = this.#made.get(resource) ?? new ObjectsOfKind(this.#storage, resource, this.#storeOf);
      this.#made.set(resource, made);
      return made;
    }
    return undefined;
  }
}

/** How objects of a resource are read. */
interface Reading {
  readonly store: ResourceStore;
  readonly kind: Kind;
}

interface Kept {
  readonly revision: number;
  readonly object: ApiObject;
}

interface KeptList {
  /** nothing of the namespace was written between this one and the revision that the list was read at */
  revision: number;
  readonly objects: readonly ApiObject[];
  /** the bytes of the objects as they are stored */
  readonly bytes: number;
}

/** What readers use of it. One that reads objects of another server does not know of all kinds where they come from. */
export type FoundObjects = Pick<ObjectsOfKind, 'namespaced' | 'get' | 'selected'> & Partial<Pick<ObjectsOfKind, 'isBuiltIn'>>;

/** Nobody may change the objects. All functions throw LongObject, or reject with it, for what takes long to read, where others wait for this thread. */
export class ObjectsOfKind {
  readonly #storage: Storage;
  readonly #resource: Resource;
  readonly #storeOf: StoreOf;
  #reading: Reading | undefined;
  /** the objects by their keys */
  readonly #kept = new Map<string, Kept>();
  #keptBytes = 0;
  /** the results of selections, by namespace and selector */
  readonly #lists = new Map<string, KeptList>();
  #listedBytes = 0;

  constructor(storage: Storage, resource: Resource, storeOf: StoreOf) {
    this.#storage = storage;
    this.#resource = resource;
    this.#storeOf = storeOf;
  }

  get namespaced(): boolean {
    return this.#resource.data.scope === 'Namespaced';
  }

  /** Whether no definition has made the kind: clients of 1.32 have a type for it. */
  get isBuiltIn(): boolean {
    return this.#resource.data.isDefined !== true;
  }

  /** @param namespace '' for what has none. @returns undefined for an object that is not there. @throws StatusError of a converter */
  get(namespace: string, name: string): ApiObject | undefined | Promise<ApiObject | undefined> {
    if (this.#reading === undefined) return this.#prepared().then(() => this.get(namespace, name));
    const { store } = this.#reading;
    const key = store.key(namespace, name);
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.revision === this.#storage.revisionOf(key)) return kept.object;
    const entry = this.#storage.get(key);
    if (entry !== undefined) return this.#object(this.#reading, entry);
    this.#kept.delete(key);
    return undefined;
  }

  /** Returns the objects of a namespace whose labels a selector selects, in the order of their names. @param namespace empty for objects without one */
  selected(namespace: string, selector: LabelSelector): readonly ApiObject[] | Promise<readonly ApiObject[]> {
    const key = `${namespace} ${JSON.stringify(selector)}`;
    const kept = this.#lists.get(key);
    if (kept !== undefined && this.#isUnchanged(kept, namespace)) return kept.objects;
    return this.#select(key, namespace, selector);
  }

  #isUnchanged(kept: KeptList, namespace: string): boolean {
    const current = this.#storage.currentRevision();
    if (kept.revision === current) return true;
    try {
      const prefix = (this.#reading as Reading).store.prefix(namespace);
      for (const _change of this.#storage.changes(kept.revision, prefix, 1)) return false;
    } catch (error) {
      if (error instanceof RevisionCompacted) return false;
      throw error;
    }
    kept.revision = current;
    return true;
  }

  async #select(key: string, namespace: string, selector: LabelSelector): Promise<readonly ApiObject[]> {
    const reading = await this.#prepared();
    const prefix = reading.store.prefix(namespace);
    const revision = this.#storage.currentRevision();
    const found: Entry[] = [];
    const end = prefixEnd(prefix);
    for (let start = prefix, isMore = true; isMore; ) {
      isMore = false;
      let left = PIECE;
      for (const { key: of, value, revision: at } of this.#storage.range({ start, end, atRevision: revision, limit: PIECE })) {
        start = `${of}\0`;
        isMore = --left === 0;
        if (matches(selector, new StoredObject(value).labels)) found.push({ key: of, value: Buffer.from(value), revision: at });
      }
      if (isMore) await turn();
    }
    const values = await reading.store.converted(found.map(({ value }) => value));
    const objects: ApiObject[] = [];
    await eachInTurns(found, (entry, index) => void objects.push(this.#read(reading, entry, values[index] as Buffer)));
    this.#keepList(key, { revision, objects, bytes: found.reduce((sum, { value }) => sum + value.length, 0) });
    return objects;
  }

  #keepList(key: string, list: KeptList): void {
    this.#listedBytes += list.bytes - (this.#lists.get(key)?.bytes ?? 0);
    if (this.#listedBytes > KEPT_BYTES || this.#lists.size >= KEPT_LISTS) {
      this.#lists.clear();
      this.#listedBytes = list.bytes;
    }
    // one that is longer than all that is kept stays until the next one comes
    this.#lists.set(key, list);
  }

  async #prepared(): Promise<Reading> {
    if (this.#reading === undefined) {
      const { groupVersion, data, versions } = this.#resource;
      const store = await this.#storeOf(this.#resource);
      const kind = await versions.kinds.kind(groupVersion.group, groupVersion.version, data.kind);
      this.#reading = { store, kind };
    }
    return this.#reading;
  }

  #object(reading: Reading, entry: Entry): ApiObject | Promise<ApiObject> {
    const converted = reading.store.converted([entry.value]);
    if (!(converted instanceof Promise)) return this.#read(reading, entry, converted[0] as Buffer);
    return converted.then(([value]) => this.#read(reading, entry, value as Buffer));
  }

  /** @param value what is stored of it, as if it were of this version. @throws LongObject */
  #read(reading: Reading, entry: Entry, value: Buffer): ApiObject {
    const kept = this.#kept.get(entry.key);
    if (kept?.revision === entry.revision) return kept.object;
    const stored = new StoredObject(value);
    const { store } = reading;
    if (store.isReadable(stored)) return this.#keep(reading, entry, store.decodeStored(stored));
    const copy = new StoredObject(Buffer.from(value));
    throw new LongObject(async () => this.#keep(reading, entry, await store.decodeInTurns(copy)));
  }

  #keep({ store, kind }: Reading, { key, value, revision }: Entry, stored: ApiObject): ApiObject {
    const object = store.converts || kind.hub === kind ? stored : kind.fromHub(copyValue(stored));
    this.#keptBytes += value.length;
    if (this.#keptBytes > KEPT_BYTES) {
      this.#kept.clear();
      this.#keptBytes = value.length;
    }
    this.#kept.set(key, { revision, object });
    return object;
  }
}
