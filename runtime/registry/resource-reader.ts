/** Objects of one resource as they are read from the store, in the version that is spoken where a converter stands before that (version-view.ts). */
import type { ApiObject } from '../contract/object.ts';
import type { RequestContext, Waiting } from '../contract/request-context.ts';
import type { Entry, Storage } from '../storage/storage.ts';
import { withinPart } from '../storage/traced-part.ts';
import { newAbsent } from './absent-object.ts';
import { inTurns } from './event-loop-turns.ts';
import type { Kind } from './kind.ts';
import { isLong, LongObject } from './long-value.ts';
import type { Resource } from './resource.ts';
import { storageKey, storagePrefix } from './resource-keys.ts';
import { selectableField } from './selectable-field.ts';
import { type Members, parseSlices, readInTurns } from './sliced-reading.ts';
import { isOfSchema, StoredObject } from './stored-object.ts';
import type { VersionView } from './version-view.ts';

export class ResourceReader {
  readonly resource: Resource;
  readonly hub: Kind;
  protected readonly storage: Storage;
  /** absent where objects are stored as they are spoken of here */
  protected readonly view: VersionView | undefined;
  readonly #readsLong: boolean;

  /** @param readsLong whether objects are read that take long: not on a thread that others wait for */
  constructor(resource: Resource, hub: Kind, storage: Storage, view?: VersionView, readsLong = true) {
    this.resource = resource;
    this.hub = hub;
    this.storage = storage;
    this.view = view;
    this.#readsLong = readsLong;
  }

  key(namespace: string, name: string): string {
    return storageKey(this.resource, namespace, name);
  }

  /** Prefix of all keys, or of those of one namespace. */
  prefix(namespace: string): string {
    return storagePrefix(this.resource, namespace);
  }

  entry(namespace: string, name: string): Entry | undefined {
    return this.storage.get(this.key(namespace, name));
  }

  /** Whether a converter stands between what is stored and what is read here: values of the store are given to `converted` first. */
  get converts(): boolean {
    return this.view !== undefined;
  }

  /**
   * What is stored of objects, as if it were of this version.
   * @param values as the store has them, which must not change until a promise is resolved
   * @returns in the same order; a promise where somebody else converts them. @throws StatusError
   */
  converted(values: readonly Buffer[], waiting?: Waiting): readonly Buffer[] | Promise<readonly Buffer[]> {
    return this.view === undefined ? values : this.view.ofStored(values, waiting);
  }

  /** One object with its revision, as if it were stored in this version. @throws StatusError of a converter */
  current(namespace: string, name: string, waiting?: Waiting): Entry | undefined | Promise<Entry> {
    const entry = this.entry(namespace, name);
    return entry === undefined || this.view === undefined ? entry : this.#ofThisVersion(entry, waiting);
  }

  async #ofThisVersion(entry: Entry, waiting?: Waiting): Promise<Entry> {
    const [value] = await this.converted([entry.value], waiting);
    return { ...entry, value: value as Buffer };
  }

  /** As `current`, of what is to be written anew: waited for as long as the request may, and a part of its trace. @throws StatusError of a converter */
  currentFor(request: RequestContext, namespace: string, name: string): Entry | undefined | Promise<Entry> {
    const { trace } = request;
    const waiting = this.view && request;
    if (trace === undefined) return this.current(namespace, name, waiting);
    return withinPart(trace.current, () => this.current(namespace, name, waiting));
  }

  /** Bytes that an object takes in the store at most, without reading it; 0 where there is none. */
  mostBytesOf(namespace: string, name: string): number {
    return this.storage.mostBytesOf(this.key(namespace, name));
  }

  /** What `take` makes of an object's bytes, which are good until it returns. Not where it `converts`. @returns undefined where there is none */
  look<T>(namespace: string, name: string, take: (stored: StoredObject) => T): T | undefined {
    return this.storage.look(this.key(namespace, name), ({ value }) => take(new StoredObject(value)));
  }

  /** @throws StatusError NotFound, BadRequest for a name that nothing stored can have; LongObject */
  get(namespace: string, name: string): { object: ApiObject; entry: Entry } {
    const entry = this.entry(namespace, name);
    if (entry === undefined) throw newAbsent(this.resource.groupResource, name);
    return { object: this.decodeEntry(entry), entry };
  }

  /**
   * The object with its metadata, but for managedFields, and some of its other members, whatever its length: read a piece at a time, as it is stored.
   * @throws StatusError NotFound, BadRequest for a name that nothing stored can have; a promise rejects with it
   */
  async parts(namespace: string, name: string, members: Members): Promise<ApiObject> {
    const entry = this.entry(namespace, name);
    if (entry === undefined) throw newAbsent(this.resource.groupResource, name);
    return readInTurns(new StoredObject(entry.value), members);
  }

  /**
   * The stored object, with the defaults of the present schema where it was stored under another one.
   * @param entry of `current` where it may be converted
   * @throws LongObject
   */
  decodeEntry(entry: Entry): ApiObject {
    return this.decodeStored(new StoredObject(entry.value));
  }

  /** @throws LongObject */
  decodeStored(stored: StoredObject): ApiObject {
    this.requireReadable(stored);
    return this.decodeAny(stored);
  }

  /** @throws LongObject where nobody here is to read it */
  requireReadable(stored: StoredObject): void {
    if (!this.isReadable(stored)) throw new LongObject();
  }

  /** Whether it is read here at once. */
  isReadable(stored: StoredObject): boolean {
    return this.#readsLong || !(isLong(stored.json, 'reading') || this.#isCompletedLong(stored));
  }

  /** Whether it gets the defaults of a schema that it takes long to go through. */
  #isCompletedLong(stored: StoredObject): boolean {
    return !this.isCurrent(stored) && this.hub.isMuchWork;
  }

  /** As `decodeStored`, whatever its length: a little at a time. @param stored whose bytes stay as they are */
  async decodeInTurns(stored: StoredObject): Promise<ApiObject> {
    const value = (await inTurns(parseSlices(stored.json))) as ApiObject;
    return this.isCurrent(stored) ? value : this.hub.completed(value);
  }

  /** As `decodeStored`, of what has to be read here. */
  protected decodeAny(stored: StoredObject): ApiObject {
    const value = stored.parse();
    return this.isCurrent(stored) ? value : this.hub.completed(value);
  }

  /** Whether an object was stored under the present schema: its bytes say all that it is. */
  isCurrent(stored: StoredObject): boolean {
    return isOfSchema(stored, this.hub.data);
  }

  /** Values of the selectable fields, of an object that was stored under another schema too. */
  readonly fieldsOf = (stored: StoredObject): readonly string[] =>
    this.isCurrent(stored) ? stored.fields : this.selectableFields(this.decodeAny(stored));

  selectableFields(object: ApiObject): string[] {
    return this.resource.storedFields.map((path) => selectableField(this.hub, object, path));
  }
}
