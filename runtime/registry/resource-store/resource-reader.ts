/** Reads objects of one resource from the store. Where a definition has several versions, they are converted to one of them (version-view.ts). */
import type { ApiObject } from '../../contract/object.ts';
import type { RequestContext, Waiting } from '../../contract/request-context.ts';
import { inTurns } from '../../event-loop/turns.ts';
import type { Entry, Storage } from '../../storage/storage.ts';
import { withinPart } from '../../storage/traced-part.ts';
import type { Kind } from '../kinds/kind.ts';
import { selectableField } from '../kinds/selectable-field.ts';
import type { Resource } from '../resources/resource.ts';
import { storageKey, storagePrefix } from '../resources/resource-keys.ts';
import { isLong, LongObject } from '../stored-objects/long-value.ts';
import { type Members, parseSlices, readInTurns } from '../stored-objects/sliced-reading.ts';
import { isOfSchema, StoredObject } from '../stored-objects/stored-object.ts';
import { newAbsent } from './absent-object.ts';
import type { VersionView } from './version-view.ts';

export class ResourceReader {
  readonly resource: Resource;
  readonly hub: Kind;
  protected readonly storage: Storage;
  /** converts between the stored version and this one; absent: they are the same */
  protected readonly view: VersionView | undefined;
  readonly #readsLong: boolean;

  /** @param readsLong whether this thread decodes long objects; false on a thread that other requests wait for */
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

  /** Returns the prefix of the keys of a namespace. @param namespace empty for all keys of the resource */
  prefix(namespace: string): string {
    return storagePrefix(this.resource, namespace);
  }

  entry(namespace: string, name: string): Entry | undefined {
    return this.storage.get(this.key(namespace, name));
  }

  /** Whether stored values are of another version: then `converted` has to convert them before anything else reads them. */
  get converts(): boolean {
    return this.view !== undefined;
  }

  /**
   * Converts stored values to this version.
   * @param values as the store has them; they must not change until the promise is resolved
   * @returns the values in the same order; a promise where the converter waits for something, such as a webhook
   * @throws StatusError
   */
  converted(values: readonly Buffer[], waiting?: Waiting): readonly Buffer[] | Promise<readonly Buffer[]> {
    return this.view === undefined ? values : this.view.ofStored(values, waiting);
  }

  /** Returns an object with its revision, in this version. @throws StatusError of a converter */
  current(namespace: string, name: string, waiting?: Waiting): Entry | undefined | Promise<Entry> {
    const entry = this.entry(namespace, name);
    return entry === undefined || this.view === undefined ? entry : this.#ofThisVersion(entry, waiting);
  }

  async #ofThisVersion(entry: Entry, waiting?: Waiting): Promise<Entry> {
    const [value] = await this.converted([entry.value], waiting);
    return { ...entry, value: value as Buffer };
  }

  /**
   * Does the same as `current` for an object that a request is about to write. A conversion ends with the request's time, and is part of its trace.
   * @throws StatusError of a converter
   */
  currentFor(request: RequestContext, namespace: string, name: string): Entry | undefined | Promise<Entry> {
    const { trace } = request;
    const waiting = this.view && request;
    if (trace === undefined) return this.current(namespace, name, waiting);
    return withinPart(trace.current, () => this.current(namespace, name, waiting));
  }

  /** Upper bound of the bytes that an object takes in the store, found without reading it; 0 where there is none. */
  mostBytesOf(namespace: string, name: string): number {
    return this.storage.mostBytesOf(this.key(namespace, name));
  }

  /**
   * Calls `take` with an object as it is stored. Its bytes are good until `take` returns. Not to be used where this `converts`.
   * @returns the result of `take`; undefined where there is no object
   */
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
   * The metadata without managedFields, and some other members of an object, as it is stored. It may have any length: it is read a piece at a time.
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

  /** @throws LongObject where this thread must not decode the object */
  requireReadable(stored: StoredObject): void {
    if (!this.isReadable(stored)) throw new LongObject();
  }

  /** Whether this thread may decode the object at once. */
  isReadable(stored: StoredObject): boolean {
    return this.#readsLong || !(isLong(stored.json, 'reading') || this.#isCompletedLong(stored));
  }

  /** Whether decoding sets the defaults of a newer schema, and going through that schema takes long. */
  #isCompletedLong(stored: StoredObject): boolean {
    return !this.isCurrent(stored) && this.hub.isMuchWork;
  }

  /**
   * Does the same as `decodeStored` for an object of any length, which it parses in pieces, so that other work has its turn.
   * @param stored must not change meanwhile
   */
  async decodeInTurns(stored: StoredObject): Promise<ApiObject> {
    const value = (await inTurns(parseSlices(stored.json))) as ApiObject;
    return this.isCurrent(stored) ? value : this.hub.completed(value);
  }

  /** Does the same as `decodeStored` for an object of any length, without pauses. */
  protected decodeAny(stored: StoredObject): ApiObject {
    const value = stored.parse();
    return this.isCurrent(stored) ? value : this.hub.completed(value);
  }

  /** Tells whether an object was stored under the present schema, so that its bytes have all defaults. */
  isCurrent(stored: StoredObject): boolean {
    return isOfSchema(stored, this.hub.data);
  }

  /** Values of an object's selectable fields, whatever schema it was stored under. */
  readonly fieldsOf = (stored: StoredObject): readonly string[] =>
    this.isCurrent(stored) ? stored.fields : this.selectableFields(this.decodeAny(stored));

  selectableFields(object: ApiObject): string[] {
    return this.resource.storedFields.map((path) => selectableField(this.hub, object, path));
  }
}
