/**
 * Writes objects of one resource to the store: encodes them, has the store hold to what admission has counted on, records traces, and reads back what was
 * stored where another version may have changed it.
 */
import { invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { RequestContext, Waiting } from '../../contract/request-context.ts';
import type { Span, Trace, TraceAttributes } from '../../contract/trace.ts';
import { newAlreadyExists, newBadRequest, newGeneratedNameTaken, newInvalid, resourceText, StatusError } from '../../status/status.ts';
import { KeyExists, ValueDamaged, ValueTooLarge } from '../../storage/errors.ts';
import { type Entry, type Guard, isKey, repeated, type Storage, type StoredBytes } from '../../storage/storage.ts';
import { goType, type Kind } from '../kinds/kind.ts';
import type { Resource } from '../resources/resource.ts';
import { storageKey } from '../resources/resource-keys.ts';
import { isOfSchema, StoredObject } from '../stored-objects/stored-object.ts';
import { whileDefined } from './defined-write.ts';
import type { ObjectEncoding } from './object-encoding.ts';
import { apiErrorOf } from './storage-errors.ts';
import { CREATION, tellReadBack, tracedEncoding, tracedWrite, UPDATE } from './traced-write.ts';
import type { VersionView } from './version-view.ts';
import { onCondition, type WriteCondition } from './write-condition.ts';

/** How many times a write is tried while other writers are faster, where the client names no resourceVersion. */
export const MAX_ATTEMPTS = 100;

/** The outcome of a write. */
export interface Written {
  readonly object: ApiObject;
  /** its stored bytes; absent after a dry run */
  readonly stored: StoredObject | undefined;
  /** `unchanged` after a dry run of an update as well */
  readonly outcome: 'created' | 'updated' | 'removed' | 'unchanged';
}

/** An object that was stored with the marks of its deletion. */
export interface Marked {
  readonly key: string;
  readonly revision: number;
  readonly value: StoredBytes;
  readonly object: ApiObject;
}

/** The resource whose objects are written, and the store. */
export interface WrittenResource {
  readonly resource: Resource;
  readonly hub: Kind;
  readonly storage: Storage;
  /** converts between the stored version and this one; absent: they are the same */
  readonly view: VersionView | undefined;
  readonly encoding: ObjectEncoding;
  /** decodes a stored object, however long it is */
  readonly read: (stored: StoredObject) => ApiObject;
}

/** How a new object is stored. */
export interface Creation {
  readonly context: RuleContext;
  readonly condition: WriteCondition | undefined;
  /** whether the creation is part of an update that found no object, so that traces name the update */
  readonly byUpdate: boolean;
  /** see `Replacement.keepsOwners` */
  readonly keepsOwners: boolean;
}

/** How a changed object is stored. */
export interface Replacement {
  /** learns how many milliseconds the store has taken */
  readonly request: Pick<RequestContext, 'took'>;
  /** the part of the trace; absent if the request is not traced */
  readonly span?: Span | undefined;
  readonly condition?: WriteCondition | undefined;
  /**
   * True: the object is never stored without its managedFields, by which the next apply knows what this one has set. Default false: managedFields are left
   * out where the object is too long for the store with them.
   */
  readonly keepsOwners?: boolean;
}

/**
 * Calls `write`, and once more without managedFields where the value is too long for the store. managedFields can be the larger part of an object, and 1.32
 * leaves them out then.
 * @param request hears how many milliseconds the store has taken
 * @param shorten takes managedFields out of the value; absent: the value is written as it is, or not at all
 * @throws what `write` throws
 */
async function withinSize(
  { metadata }: ApiObject,
  request: Pick<RequestContext, 'took'>,
  write: () => Promise<number>,
  shorten: (() => Promise<void>) | undefined,
): Promise<number> {
  const began = performance.now();
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ValueTooLarge) || shorten === undefined || metadata.managedFields === undefined) throw error;
  } finally {
    request.took('etcd', performance.now() - began);
  }
  await shorten();
  return write();
}

export class ObjectWrites {
  readonly #of: WrittenResource;

  constructor(of: WrittenResource) {
    this.#of = of;
  }

  /**
   * @param object gets its resourceVersion
   * @throws StatusError AlreadyExists, Invalid, BadRequest, and what a broken condition throws
   */
  create(object: ApiObject, creation: Creation): Promise<Written> {
    const { trace } = creation.context.request;
    if (trace === undefined || creation.byUpdate) return this.#createOnce(object, creation);
    const { namespace = '', name = '' } = object.metadata;
    return trace.during('Create etcd3', this.traceAttributes(trace, namespace, name), () => this.#createOnce(object, creation));
  }

  /** Attributes of a trace's part for a write, with the names that 1.32 gives its calls of etcd. */
  traceAttributes({ auditId }: Trace, namespace: string, name: string): TraceAttributes {
    const { resource, hub } = this.#of;
    const key = `/${storageKey(resource, namespace, name)}`;
    return { 'audit-id': auditId, key, type: `*${goType(hub)}`, resource: resourceText(resource.groupResource) };
  }

  async #createOnce(object: ApiObject, { context, condition, byUpdate, keepsOwners }: Creation): Promise<Written> {
    const { resource, hub, storage, view, encoding } = this.#of;
    const { namespace = '', name = '' } = object.metadata;
    const key = storageKey(resource, namespace, name);
    // Nearly all kinds have a format of names, which has refused such a name before.
    if (!isKey(key)) throw newInvalid(hub, name, [invalid('metadata.name', name, 'is too long for the store, or holds U+0000')]);
    if (context.dryRun) return this.#createDry(object, key, context);
    if (/^0*[1-9]\d*$/.test(object.metadata.resourceVersion ?? ''))
      throw newBadRequest('resourceVersion should not be set on objects to be created');
    const span = context.request.trace?.current;
    const encoded = span === undefined ? encoding.ofWrite(object, context) : tracedEncoding(span, () => encoding.ofWrite(object, context));
    let value = encoded instanceof Promise ? await encoded : encoded;
    context.request.throwIfOver();
    const createGuarded = (guard: Guard | undefined): Promise<number> =>
      span === undefined
        ? storage.create(key, value, guard)
        : tracedWrite(span, byUpdate ? UPDATE : CREATION, () => storage.create(key, value, guard));
    const create = (guard: Guard | undefined): Promise<number> =>
      whileDefined(this.#of, byUpdate, (own) => createGuarded(own && guard ? { ...own, and: guard } : (own ?? guard)));
    try {
      const shorten = async (): Promise<void> => {
        value = await this.#withoutOwners(object);
      };
      object.metadata.resourceVersion = String(
        await withinSize(object, context.request, () => onCondition(condition, create), keepsOwners ? undefined : shorten),
      );
    } catch (error) {
      if (error instanceof KeyExists) throw this.#alreadyExists(key, object);
      throw apiErrorOf(error, resource.groupResource, name);
    }
    const reading = this.readBack(object, view && context.request, value);
    const told = reading instanceof Promise ? await reading : reading;
    tellReadBack(span, value.bytes.length);
    return { object: told, stored: this.#asSpoken(value), outcome: 'created' };
  }

  async #createDry(object: ApiObject, key: string, { request }: RuleContext): Promise<Written> {
    const { storage, view } = this.#of;
    if (storage.revisionOf(key) !== undefined) throw this.#alreadyExists(key, object);
    return { object: await this.readBack(object, view && request), stored: undefined, outcome: 'created' };
  }

  #alreadyExists(key: string, { metadata: { name = '', generateName = '' } }: ApiObject): StatusError {
    const error = (generateName === '' ? newAlreadyExists : newGeneratedNameTaken)(this.#of.resource.groupResource, name);
    if (!this.#isDeleting(key)) return error;
    return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
  }

  /** Whether the object that has the name is being deleted; false where its bytes are damaged. */
  #isDeleting(key: string): boolean {
    try {
      const existing = this.#of.storage.get(key);
      return existing !== undefined && new StoredObject(existing.value).deleting;
    } catch (error) {
      if (error instanceof ValueDamaged) return false;
      throw error;
    }
  }

  /**
   * Writes an object in place of the entry that was read.
   * @param object gets its resourceVersion
   * @param encoded the bytes of `object`
   * @throws Conflict, KeyNotFound and other errors of the store
   */
  async replace(
    { key, revision }: Entry,
    object: ApiObject,
    encoded: StoredBytes | Promise<StoredBytes>,
    { request, span, condition, keepsOwners = false }: Replacement,
  ): Promise<Written> {
    const { storage } = this.#of;
    let value = encoded instanceof Promise ? await encoded : encoded;
    const update = (guard: Guard | undefined): Promise<number> =>
      span === undefined
        ? storage.update(key, revision, value, guard)
        : tracedWrite(span, UPDATE, () => storage.update(key, revision, value, guard));
    const shorten = async (): Promise<void> => {
      value = await this.#withoutOwners(object);
    };
    object.metadata.resourceVersion = String(
      await withinSize(object, request, () => onCondition(condition, update), keepsOwners ? undefined : shorten),
    );
    const reading = this.readBack(object, undefined, value);
    const told = reading instanceof Promise ? await reading : reading;
    tellReadBack(span, value.bytes.length);
    return { object: told, stored: this.#asSpoken(value), outcome: 'updated' };
  }

  /** @param object loses its managedFields. @returns its bytes without them */
  #withoutOwners(object: ApiObject): StoredBytes | Promise<StoredBytes> {
    delete object.metadata.managedFields;
    return this.#of.encoding.of(object);
  }

  /** Stores an object with the marks of its deletion. @throws Conflict, KeyNotFound and other errors of the store */
  mark(entry: Entry, object: ApiObject, { request }: RuleContext): Promise<Marked> {
    const { trace } = request;
    if (trace === undefined) return this.#markOnce(entry, object, { request });
    const { namespace = '', name = '' } = object.metadata;
    return trace.during('GuaranteedUpdate etcd3', this.traceAttributes(trace, namespace, name), () => {
      trace.current.event('initial value restored');
      return this.#markOnce(entry, object, { request, span: trace.current });
    });
  }

  async #markOnce(entry: Entry, object: ApiObject, replacement: Replacement): Promise<Marked> {
    const { span } = replacement;
    const encode = (): StoredBytes | Promise<StoredBytes> => this.#of.encoding.of(object);
    const encoded = span === undefined ? encode() : tracedEncoding(span, encode);
    const value = encoded instanceof Promise ? await encoded : encoded;
    const written = await this.replace(entry, object, value, replacement);
    return { key: entry.key, revision: Number(object.metadata.resourceVersion), value, object: written.object };
  }

  /**
   * Removes an object that was not written since it was read.
   * @param last the object as watchers see it in the event of its deletion
   * @returns the revision of the removal
   * @throws Conflict, KeyNotFound and other errors of the store
   */
  async erase(
    { key, revision }: Pick<Entry, 'key' | 'revision'>,
    last: StoredBytes | Promise<StoredBytes>,
    request: Pick<RequestContext, 'took'>,
  ): Promise<number> {
    const value = last instanceof Promise ? await last : last;
    const began = performance.now();
    try {
      return await this.#of.storage.delete(key, revision, value);
    } finally {
      request.took('etcd', performance.now() - began);
    }
  }

  /**
   * Removes an object. Watchers see it as it was stored.
   * @param object decoded from `entry`
   * @returns the revision of the removal
   * @throws Conflict, KeyNotFound and other errors of the store
   */
  remove(entry: Entry, object: ApiObject, request: Pick<RequestContext, 'took'>): Promise<number> {
    return this.erase(entry, this.#lastValue(entry, object), request);
  }

  #lastValue({ value }: Entry, object: ApiObject): StoredBytes | Promise<StoredBytes> {
    const stored = new StoredObject(value);
    if (this.#of.view !== undefined || !isOfSchema(stored, this.#of.hub.data)) return this.#of.encoding.of(object);
    return { bytes: Buffer.from(value), revisionOffset: stored.revisionOffset };
  }

  /**
   * Removes an object. Watchers see it with the marks of its deletion.
   * @returns the revision of the removal
   * @throws Conflict, KeyNotFound and other errors of the store
   */
  eraseMarked({ key, revision, value }: Marked, request: Pick<RequestContext, 'took'>): Promise<number> {
    return this.erase({ key, revision }, repeated(value, revision), request);
  }

  /**
   * An object as a read would give it after the write. Where the stored version is another one, a conversion to that version and back may have changed it:
   * as in 1.32, the answer to a write has what is stored.
   * @param value the stored bytes; absent after a dry run
   */
  readBack(object: ApiObject, waiting: Waiting | undefined, value?: StoredBytes): ApiObject | Promise<ApiObject> {
    const { view } = this.#of;
    return view === undefined || view.isStored ? object : this.#readAgain(view, object, waiting, value);
  }

  async #readAgain(view: VersionView, object: ApiObject, waiting: Waiting | undefined, value?: StoredBytes): Promise<ApiObject> {
    const { read } = this.#of;
    const { bytes } = value ?? (await view.toStored(object, waiting));
    const [own] = await view.ofStored([bytes], waiting);
    const told = read(new StoredObject(own as Buffer));
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) delete told.metadata.resourceVersion;
    else told.metadata.resourceVersion = resourceVersion;
    return told;
  }

  /** The stored bytes; undefined where they are of another version. */
  #asSpoken({ bytes }: StoredBytes): StoredObject | undefined {
    return this.#of.view?.isStored === false ? undefined : new StoredObject(bytes);
  }
}
