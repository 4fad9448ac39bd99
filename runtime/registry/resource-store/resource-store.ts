import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Trace } from '../../contract/trace.ts';
import { plainFinalizerWarnings } from '../../kinds/metadata/object-meta.ts';
import { deepEqual } from '../../schema/equal.ts';
import { bigintOf } from '../../schema/scalar/raw-number.ts';
import { isAlreadyExists, newBadRequest, newConflict, OBJECT_MODIFIED, type StatusError } from '../../status/status.ts';
import { Conflict, KeyNotFound } from '../../storage/errors.ts';
import type { Entry, Storage, StoredBytes } from '../../storage/storage.ts';
import type { Kind } from '../kinds/kind.ts';
import { notEnforcedWarnings } from '../resources/not-enforced.ts';
import type { Resource } from '../resources/resource.ts';
import { StoredObject, sharesRest } from '../stored-objects/stored-object.ts';
import { copyObject, settle } from '../unsettled-objects.ts';
import { newAbsent } from './absent-object.ts';
import type { DeletionSettings } from './deletion.ts';
import { changesAnything } from './managed-times.ts';
import { ObjectDeletions } from './object-deletions.ts';
import { ObjectEncoding } from './object-encoding.ts';
import { ObjectWriteQueue } from './object-write-queue.ts';
import { MAX_ATTEMPTS, ObjectWrites, type Written } from './object-writes.ts';
import { ResourceReader } from './resource-reader.ts';
import type { VersionCondition } from './resource-version.ts';
import { apiErrorOf, newUidConflict } from './storage-errors.ts';
import type { StoredForm } from './stored-form.ts';
import {
  completeStatus,
  keepSystemMetadata,
  nameOf,
  partRules,
  prepareForCreate,
  prepareForStatusUpdate,
  prepareForUpdate,
  preparePart,
  requireResourceVersion,
  type UpdateTarget,
  validateCreate,
  validateUpdate,
} from './strategy.ts';
import { tracedEncoding } from './traced-write.ts';
import { UnreadableObjects } from './unreadable-objects.ts';
import type { VersionView } from './version-view.ts';
import type { WriteCondition } from './write-condition.ts';

/**
 * Runs validating admission on an object that is about to be stored.
 * @returns what admission has counted on, which must still be so when the object is written; a promise where admission waits for something
 * @throws StatusError
 */
export type ValidatingAdmission = (
  object: ApiObject,
  old: ApiObject | undefined,
) => WriteCondition | undefined | Promise<WriteCondition | undefined>;

/** Makes the new object of the stored one, which it must not change. Called again for each attempt after another writer was faster. @throws StatusError */
export type Produce = (old: ApiObject) => Promise<ApiObject> | ApiObject;

export interface UpdateOptions {
  /** the part of the object that is changed */
  readonly target: UpdateTarget;
  readonly context: RuleContext;
  readonly admit: ValidatingAdmission;
  /**
   * Creates the object where there is none; absent: an absent object is an error. Where another writer creates it first, that object is updated.
   */
  readonly createMissing?: () => Promise<Written>;
  /** whether the update is made again from the newer object where another writer was faster, as for patches; else such an update is a Conflict */
  readonly retry: boolean;
  /** the resourceVersions that may be overwritten; default: all */
  readonly condition?: VersionCondition | undefined;
  /** the uid that the object must have, checked before anything else; default: any. It is a Conflict too where there is no object */
  readonly uid?: string | undefined;
  /** as of `Replacement` */
  readonly keepsOwners?: boolean;
}

/** How an object is created. */
export interface CreateOptions {
  /** see `Creation.byUpdate`; default false */
  readonly byUpdate?: boolean;
  /** see `Replacement.keepsOwners`; default false */
  readonly keepsOwners?: boolean;
}

/** How the stored form of objects differs from the hub. A member is absent if it does not differ in that. */
export interface ObjectForms {
  /** converts between the stored version and this one, for definitions of several versions */
  readonly view?: VersionView | undefined;
  /** the form that an earlier release stored, which this server emulates */
  readonly form?: StoredForm | undefined;
}

/** How many generated names are tried for one object, as in 1.32. */
const NAME_ATTEMPTS = 8;

/** Creates and updates objects of one resource; `deletions` removes them. */
export class ResourceStore extends ResourceReader {
  /** deletes objects, and removes expired ones */
  readonly deletions: ObjectDeletions;
  /** deletes objects whose stored bytes are damaged */
  readonly unreadable: UnreadableObjects;
  readonly #turns = new ObjectWriteQueue();
  readonly #encoding: ObjectEncoding;
  readonly #writes: ObjectWrites;
  readonly #form: StoredForm | undefined;

  constructor(
    resource: Resource,
    hub: Kind,
    storage: Storage,
    deletionSettings: DeletionSettings,
    { view, form }: ObjectForms = {},
    readsLong?: boolean,
  ) {
    super(resource, hub, storage, view, readsLong);
    this.#form = form;
    const encoding = new ObjectEncoding(hub, view, (object) => this.selectableFields(object));
    this.#encoding = encoding;
    this.#writes = new ObjectWrites({ resource, hub, storage, view, encoding, read: (stored) => this.decodeAny(stored) });
    this.unreadable = new UnreadableObjects(this, storage, encoding, this.#writes);
    this.deletions = new ObjectDeletions({ reader: this, settings: deletionSettings, writes: this.#writes, unreadable: this.unreadable });
  }

  /**
   * @param sent of the hub, after mutating admission. The store owns it from here on, and may change it
   * @throws StatusError Invalid, AlreadyExists, what `admit` throws
   */
  async create(sent: ApiObject, context: RuleContext, admit: ValidatingAdmission, options: CreateOptions = {}): Promise<Written> {
    const { name, generateName } = sent.metadata;
    if (name || !generateName) return this.#create(sent, context, admit, options);
    // What is prepared goes by the name, such as labels and addresses, and so may what is admitted: with another name all of it is done anew.
    for (let attempt = 1, next = sent; ; attempt++) {
      const again = attempt < NAME_ATTEMPTS ? copyObject(next) : undefined;
      try {
        return await this.#create(next, context, admit, options);
      } catch (error) {
        if (again === undefined || !isAlreadyExists(error)) throw error;
        again.metadata.name = nameOf(this.resource, generateName);
        next = again;
      }
    }
  }

  async #create(
    object: ApiObject,
    context: RuleContext,
    admit: ValidatingAdmission,
    { byUpdate = false, keepsOwners = false }: CreateOptions,
  ): Promise<Written> {
    try {
      const preparing = prepareForCreate(this.resource, this.hub, object, context);
      if (preparing !== undefined) await preparing;
    } catch (error) {
      throw apiErrorOf(error, this.resource.groupResource, object.metadata.name ?? '');
    }
    try {
      validateCreate(this.resource, this.hub, object, context);
      this.#warn(object, undefined, context);
      const admitting = admit(object, undefined);
      const condition = admitting instanceof Promise ? await admitting : admitting;
      settle(object, this.hub);
      if (this.view === undefined || this.view.isStored) completeStatus(this.hub, object);
      // what validation may not see: there is no place for it
      if (this.resource.data.scope === 'Namespaced' && !object.metadata.namespace) throw newBadRequest('Namespace parameter required.');
      return await this.#writes.create(this.#form?.asRead(object) ?? object, { context, condition, byUpdate, keepsOwners });
    } catch (error) {
      await this.hub.rules.afterFailure?.(object, undefined, context);
      throw error;
    }
  }

  /** Warns the client of a valid object, whether or not it is stored in the end. As in 1.32, writes of a subresource have no warnings. */
  #warn(object: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
    const { request } = context;
    if (request.warn === undefined) return;
    for (const text of this.hub.rules.warnings?.(object, old, context) ?? []) request.warn(text);
    if (this.resource.data.isDefined === true)
      for (const text of plainFinalizerWarnings(object.metadata, old?.metadata)) request.warn(text);
    for (const text of notEnforcedWarnings(this.resource, object)) request.warn(text);
  }

  /**
   * Updates an object, or removes it where the update takes away its last finalizer. Writers of the same object that name no resourceVersion take turns.
   * @throws StatusError NotFound, Conflict, Invalid, what `produce` and `admit` throw
   */
  update(namespace: string, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    const update = (): Promise<Written> => this.#update(namespace, name, produce, options);
    return options.retry && !options.context.dryRun ? this.#turns.take(this.key(namespace, name), update) : update();
  }

  #update(namespace: string, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    const { trace } = options.context.request;
    return trace === undefined
      ? this.#tryUpdates(namespace, name, produce, options)
      : this.#updateTraced(trace, namespace, name, produce, options);
  }

  #updateTraced(trace: Trace, namespace: string, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    const attributes = this.#writes.traceAttributes(trace, namespace, name);
    return trace.during('GuaranteedUpdate etcd3', attributes, () => this.#tryUpdates(namespace, name, produce, options));
  }

  async #tryUpdates(namespace: string, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    for (let attempt = 1; ; attempt++) {
      options.context.request.throwIfOver();
      if (attempt > 1) options.context.request.choosesAnew?.();
      const found = this.currentFor(options.context.request, namespace, name);
      const entry = found instanceof Promise ? await found : found;
      options.context.request.trace?.current.event(attempt === 1 ? 'initial value restored' : 'Retry value restored');
      if (entry === undefined) {
        if ((options.uid ?? '') !== '') throw this.#uidConflict(namespace, name, options, '');
        if (options.createMissing === undefined || options.target !== 'object') throw newAbsent(this.resource.groupResource, name);
        this.#requireVersion(undefined, name, options.condition);
      }
      try {
        if (entry === undefined) return await (options.createMissing as () => Promise<Written>)();
        return await this.#updateOnce(entry, name, produce, options);
      } catch (error) {
        if (entry === undefined && isAlreadyExists(error) && attempt < MAX_ATTEMPTS) continue;
        // The object has gone meanwhile. The next attempt finds none, as if it had never been there.
        if (error instanceof KeyNotFound && attempt < MAX_ATTEMPTS) continue;
        if (!(error instanceof Conflict)) throw apiErrorOf(error, this.resource.groupResource, name);
        if (attempt >= MAX_ATTEMPTS || !options.retry) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
      }
    }
  }

  #uidConflict(namespace: string, name: string, { uid = '' }: UpdateOptions, actual: string): StatusError {
    return newUidConflict(this.resource.groupResource, name, this.key(namespace, name), uid, actual);
  }

  async #updateOnce(entry: Entry, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    const began = performance.now();
    const old = this.decodeEntry(entry);
    options.context.request.took('decode-response-object', performance.now() - began);
    // a client that means another object of the same name learns that first, whatever else is wrong
    if ((options.uid ?? '') !== '' && options.uid !== old.metadata.uid)
      throw this.#uidConflict(old.metadata.namespace ?? '', name, options, old.metadata.uid as string);
    const current = old.metadata.resourceVersion as string;
    this.#requireVersion(current, name, options.condition);
    const producing = produce(old);
    const sent = producing instanceof Promise ? await producing : producing;
    this.#checkVersion(sent, current, name);
    const preparing = this.#prepared(sent, old, options);
    const object = preparing instanceof Promise ? await preparing : preparing;
    object.metadata.resourceVersion = current;
    const written = await this.#writeOrGiveBack(entry, object, old, options);
    if (written.outcome !== 'unchanged') await this.hub.rules.afterUpdate?.(object, old, options.context);
    if (written.outcome === 'removed') await this.hub.rules.afterDelete?.(object, options.context);
    return written;
  }

  /** Writes a change. If that fails, the kind gives back what preparation has allocated for the object, such as addresses. */
  async #writeOrGiveBack(entry: Entry, object: ApiObject, old: ApiObject, options: UpdateOptions): Promise<Written> {
    try {
      return await this.#writeChange(entry, object, old, options);
    } catch (error) {
      await this.hub.rules.afterFailure?.(object, old, options.context);
      throw error;
    }
  }

  /** Whether a write of the status sets all metadata back. Only definitions state it here; the rules of built-in kinds do it themselves. */
  #statusKeepsMetadata(): boolean {
    return !this.hub.compiled.isGo && this.resource.subresources.get('status')?.resetFields?.includes('metadata') === true;
  }

  #prepared(sent: ApiObject, old: ApiObject, { target, context }: UpdateOptions): ApiObject | Promise<ApiObject> {
    if (typeof target === 'object') return preparePart(this.hub, partRules(this.hub, target.part), sent, old, context);
    if (target === 'status') prepareForStatusUpdate(this.hub, sent, old, context, this.#statusKeepsMetadata());
    else if (target === 'prepared') keepSystemMetadata(sent.metadata, old.metadata);
    else {
      const preparing = prepareForUpdate(this.resource, this.hub, sent, old, context);
      if (preparing !== undefined) return preparing.then(() => sent);
    }
    return sent;
  }

  async #writeChange(entry: Entry, changed: ApiObject, old: ApiObject, options: UpdateOptions): Promise<Written> {
    const { context } = options;
    validateUpdate(this.resource, this.hub, changed, old, context, options.target);
    if (options.target === 'object') this.#warn(changed, old, context);
    const admitting = options.admit(changed, old);
    const condition = admitting instanceof Promise ? await admitting : admitting;
    settle(changed, this.hub);
    const object = this.#form?.asRead(changed) ?? changed;
    const isReleased = this.#isReleased(object);
    if (!isReleased && !changesAnything(object, old) && !this.#isOutdated(entry, old))
      return { object, stored: this.#ifCurrent(entry), outcome: 'unchanged' };
    if (context.dryRun)
      return { object: await this.#writes.readBack(object, this.view && context.request), stored: undefined, outcome: 'unchanged' };
    context.request.throwIfOver();
    if (!isReleased) {
      const { request } = context;
      const span = request.trace?.current;
      const encode = (): StoredBytes | Promise<StoredBytes> =>
        this.#encoding.ofWrite(object, context, this.#sharedRest(entry, object, old));
      const encoding = span === undefined ? encode() : tracedEncoding(span, encode);
      return this.#writes.replace(entry, object, encoding, { request, span, condition, keepsOwners: options.keepsOwners === true });
    }
    await this.#writes.remove(entry, old, context.request);
    return { object, stored: undefined, outcome: 'removed' };
  }

  /**
   * Whether the stored bytes are of another version than would be stored now, or lack what the present schema has made of the object. As in 1.32, an update
   * writes them anew even if it changes nothing.
   */
  #isOutdated({ key, value, outdated }: Entry, old: ApiObject): boolean {
    if (outdated === true || this.#isCompleted(new StoredObject(value), old)) return true;
    if (this.view === undefined) return false;
    const stored = this.storage.get(key);
    return stored !== undefined && this.view.isOutdated(stored.value);
  }

  /** Whether an object was stored under another schema, and has become another one by the present schema. */
  #isCompleted(stored: StoredObject, old: ApiObject): boolean {
    return !this.isCurrent(stored) && !deepEqual(stored.parse(), old);
  }

  #sharedRest(entry: Entry, object: ApiObject, old: ApiObject): Buffer | undefined {
    const stored = new StoredObject(entry.value);
    return this.isCurrent(stored) && sharesRest(object, old) ? stored.rest : undefined;
  }

  /** @throws StatusError Conflict */
  #requireVersion(current: string | undefined, name: string, condition: VersionCondition | undefined): void {
    if (condition?.(current) === false) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
  }

  #checkVersion(object: ApiObject, current: string, name: string): void {
    const sent = object.metadata.resourceVersion ?? '';
    if (sent === '' || sent === '0') {
      if (!this.resource.data.unconditionalUpdate) requireResourceVersion(this.resource, name);
      return;
    }
    if (!/^\d+$/.test(sent))
      throw newBadRequest(`metadata.resourceVersion: ${JSON.stringify(sent)} is not a resource version of this server`);
    if (sent !== current) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
  }

  /** True for an object that is being deleted, and that neither a grace period nor a finalizer holds any longer. */
  #isReleased(object: ApiObject): boolean {
    const metadata = object.metadata;
    if (metadata.deletionTimestamp === undefined || bigintOf(metadata.deletionGracePeriodSeconds ?? 0) > 0n) return false;
    return (metadata.finalizers ?? []).length === 0 && this.hub.rules.holdsDeletion?.(object) !== true;
  }

  #ifCurrent(entry: Entry): StoredObject | undefined {
    const stored = new StoredObject(entry.value);
    return this.isCurrent(stored) ? stored : undefined;
  }
}
