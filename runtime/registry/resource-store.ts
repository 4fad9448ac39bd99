/**
 * One stored resource: writes and deletes of its objects, whatever the version that the client speaks. Everything here is of the hub version, or of the
 * version that is spoken where a converter stands between that and what is stored (version-view.ts).
 * Storage errors become API errors here (storage-errors.ts) and nowhere else.
 */
import { invalid } from '../contract/field-error.ts';
import type { RuleContext } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Waiting } from '../contract/request-context.ts';
import type { Span, Trace, TraceAttributes } from '../contract/trace.ts';
import { plainFinalizerWarnings } from '../kinds/metadata/object-meta.ts';
import { bigintOf } from '../schema/scalar/raw-number.ts';
import {
  detailsOf,
  isAlreadyExists,
  newAlreadyExists,
  newBadRequest,
  newConflict,
  newGeneratedNameTaken,
  newInvalid,
  newNotFound,
  newSuccess,
  OBJECT_MODIFIED,
  resourceText,
  type Status,
  StatusError,
} from '../status/status.ts';
import { Conflict, KeyExists, KeyNotFound } from '../storage/errors.ts';
import { type Entry, type Guard, isKey, type Storage, type StoredBytes } from '../storage/storage.ts';
import { withinPart } from '../storage/traced-part.ts';
import { type DeleteOptions, type DeletionSettings, markForDeletion, preconditionConflict } from './deletion.ts';
import { goType, type Kind } from './kind.ts';
import { changesAnything } from './managed-times.ts';
import { notEnforcedWarnings } from './not-enforced.ts';
import { ObjectEncoding } from './object-encoding.ts';
import { ObjectWriteQueue } from './object-write-queue.ts';
import type { Resource } from './resource.ts';
import { ResourceReader } from './resource-reader.ts';
import type { VersionCondition } from './resource-version.ts';
import { apiErrorOf, newUidConflict } from './storage-errors.ts';
import type { StoredForm } from './stored-form.ts';
import { StoredObject, sharesRest } from './stored-object.ts';
import {
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
import { CREATION, tellReadBack, tracedEncoding, tracedWrite, UPDATE } from './traced-write.ts';
import type { VersionView } from './version-view.ts';
import { onCondition, type WriteCondition } from './write-condition.ts';

/** How often a write is tried again after another writer was faster, where the client left the choice of version to us. */
const MAX_ATTEMPTS = 100;
const NAME_ATTEMPTS = 8;

/** The outcome of a write. */
export interface Written {
  readonly object: ApiObject;
  /** its stored bytes; absent after a dry run */
  readonly stored: StoredObject | undefined;
  /** `unchanged` after a dry run of an update as well */
  readonly outcome: 'created' | 'updated' | 'removed' | 'unchanged';
}

/** The outcome of a delete. */
export interface Deleted {
  /** what the client is told */
  readonly answer: ApiObject | Status;
  /** false while the object waits for its grace period or its finalizers */
  readonly gone: boolean;
}

/** Runs validating admission on the object that is about to be stored. @returns what it has counted on. @throws StatusError */
export type ValidatingAdmission = (object: ApiObject, old: ApiObject | undefined) => Promise<WriteCondition | undefined>;

/** Makes the new object from the stored one; called again when another writer was faster. May change a copy, never `old`. @throws StatusError */
export type Produce = (old: ApiObject) => Promise<ApiObject> | ApiObject;

export interface UpdateOptions {
  /** what is changed */
  readonly target: UpdateTarget;
  readonly context: RuleContext;
  readonly admit: ValidatingAdmission;
  /** a write to a free name: makes the new object, where that is allowed; another one may be faster, which is then updated */
  readonly createMissing?: () => Promise<Written>;
  /** a changed object is read again and the change repeated, though the client named no version (patches) */
  readonly retry: boolean;
  /** what is to be written on; anything by default */
  readonly condition?: VersionCondition | undefined;
  /** another uid than the stored one is a conflict, not a change of an immutable field (PUT) */
  readonly checkUid: boolean;
  /** the uid that the client means: nothing of that uid is there when the name is free */
  readonly uid?: string | undefined;
}

/** How objects are stored where that is not as the hub has them. */
export interface ObjectForms {
  /** a converter stands between what is stored and the version that is spoken */
  readonly view?: VersionView | undefined;
  /** the store has another form, of an earlier release */
  readonly form?: StoredForm | undefined;
}

export class ResourceStore extends ResourceReader {
  readonly deletion: DeletionSettings;
  readonly #turns = new ObjectWriteQueue();
  readonly #encoding: ObjectEncoding;
  readonly #form: StoredForm | undefined;

  constructor(
    resource: Resource,
    hub: Kind,
    storage: Storage,
    deletion: DeletionSettings,
    { view, form }: ObjectForms = {},
    readsLong?: boolean,
  ) {
    super(resource, hub, storage, view, readsLong);
    this.deletion = deletion;
    this.#form = form;
    this.#encoding = new ObjectEncoding(hub, view, (object) => this.selectableFields(object));
  }

  /**
   * @param sent of the hub, after mutating admission; owned by the store from here on
   * @param byUpdate a write that finds no object creates it, and is what a trace has
   */
  async create(sent: ApiObject, context: RuleContext, admit: ValidatingAdmission, byUpdate = false): Promise<Written> {
    const object = this.#form?.within(sent) ?? sent;
    const generated = (object.metadata.name ?? '') === '' && (object.metadata.generateName ?? '') !== '';
    try {
      await prepareForCreate(this.resource, this.hub, object, context);
    } catch (error) {
      throw apiErrorOf(error, this.resource.groupResource, object.metadata.name ?? '');
    }
    try {
      validateCreate(this.resource, this.hub, object, context);
      this.#warn(object, undefined, context);
      const condition = await admit(object, undefined);
      return await this.#storeNamed(object, generated, context, condition, byUpdate);
    } catch (error) {
      await this.hub.rules.afterFailure?.(object, undefined, context);
      throw error;
    }
  }

  /** As in 1.32 of what is valid, whether or not it is stored in the end; writes of a subresource have no warnings. */
  #warn(object: ApiObject, old: ApiObject | undefined, context: RuleContext): void {
    const { request } = context;
    if (request.warn === undefined) return;
    for (const text of this.hub.rules.warnings?.(object, old, context) ?? []) request.warn(text);
    if (this.resource.data.isDefined === true)
      for (const text of plainFinalizerWarnings(object.metadata, old?.metadata)) request.warn(text);
    for (const text of notEnforcedWarnings(this.resource, object)) request.warn(text);
  }

  /** @param generated the name was: another one is tried when it is taken */
  async #storeNamed(
    object: ApiObject,
    generated: boolean,
    context: RuleContext,
    condition: WriteCondition | undefined,
    byUpdate: boolean,
  ): Promise<Written> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#storeNew(object, context, condition, byUpdate);
      } catch (error) {
        if (!isAlreadyExists(error) || !generated || attempt >= NAME_ATTEMPTS) throw error;
        object.metadata.name = nameOf(this.resource, object.metadata.generateName as string);
      }
    }
  }

  #storeNew(object: ApiObject, context: RuleContext, condition: WriteCondition | undefined, byUpdate: boolean): Promise<Written> {
    const { trace } = context.request;
    if (trace === undefined || byUpdate) return this.#writeNew(object, context, condition, byUpdate);
    const { namespace = '', name = '' } = object.metadata;
    const attributes = this.#traceAttributes(trace, namespace, name);
    return trace.during('Create etcd3', attributes, () => this.#writeNew(object, context, condition, byUpdate));
  }

  /** Of the object that is written, as 1.32 has it of its store. */
  #traceAttributes({ auditId }: Trace, namespace: string, name: string): TraceAttributes {
    const resource = resourceText(this.resource.groupResource);
    return { 'audit-id': auditId, key: `/${this.key(namespace, name)}`, type: `*${goType(this.hub)}`, resource };
  }

  async #writeNew(object: ApiObject, context: RuleContext, condition: WriteCondition | undefined, byUpdate: boolean): Promise<Written> {
    const { namespace = '', name = '' } = object.metadata;
    const key = this.key(namespace, name);
    // Few kinds have no format of names that would say so before.
    if (!isKey(key)) throw newInvalid(this.hub, name, [invalid('metadata.name', name, 'is too long for the store, or holds U+0000')]);
    if (context.dryRun) {
      const existing = this.storage.get(key);
      if (existing !== undefined) throw this.#alreadyExists(existing, object);
      delete object.metadata.resourceVersion;
      return { object: await this.#readBack(object, this.view && context.request), stored: undefined, outcome: 'created' };
    }
    if (/^0*[1-9]\d*$/.test(object.metadata.resourceVersion ?? ''))
      throw newBadRequest('resourceVersion should not be set on objects to be created');
    const span = context.request.trace?.current;
    const encoding =
      span === undefined ? this.#encoding.ofWrite(object, context) : tracedEncoding(span, () => this.#encoding.ofWrite(object, context));
    const value = encoding instanceof Promise ? await encoding : encoding;
    context.request.throwIfOver();
    const create = (guard: Guard | undefined): Promise<number> =>
      span === undefined
        ? this.storage.create(key, value, guard)
        : tracedWrite(span, byUpdate ? UPDATE : CREATION, () => this.storage.create(key, value, guard));
    try {
      object.metadata.resourceVersion = String(await onCondition(condition, create));
    } catch (error) {
      if (error instanceof KeyExists) throw this.#alreadyExists(this.storage.get(key), object);
      throw apiErrorOf(error, this.resource.groupResource, name);
    }
    const told = await this.#readBack(object, this.view && context.request, value);
    tellReadBack(span, value.bytes.length);
    return { object: told, stored: this.#asSpoken(value), outcome: 'created' };
  }

  #alreadyExists(existing: Entry | undefined, { metadata: { name = '', generateName = '' } }: ApiObject): StatusError {
    const error = (generateName === '' ? newAlreadyExists : newGeneratedNameTaken)(this.resource.groupResource, name);
    if (existing === undefined || !new StoredObject(existing.value).deleting) return error;
    return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
  }

  /** Those that leave the choice of version to us write one object in turn. */
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
    const attributes = this.#traceAttributes(trace, namespace, name);
    return trace.during('GuaranteedUpdate etcd3', attributes, () => this.#tryUpdates(namespace, name, produce, options));
  }

  async #tryUpdates(namespace: string, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    for (let attempt = 1; ; attempt++) {
      options.context.request.throwIfOver();
      const found = this.#look(namespace, name, options.context);
      const entry = found instanceof Promise ? await found : found;
      options.context.request.trace?.current.event(attempt === 1 ? 'initial value restored' : 'Retry value restored');
      if (entry === undefined) {
        if ((options.uid ?? '') !== '') throw newUidConflict(this.resource.groupResource, name, options.uid as string, '');
        if (options.createMissing === undefined || options.target !== 'object') throw newNotFound(this.resource.groupResource, name);
        this.#requireVersion(undefined, name, options.condition);
      }
      try {
        if (entry === undefined) return await (options.createMissing as () => Promise<Written>)();
        return await this.#updateOnce(entry, name, produce, options);
      } catch (error) {
        if (entry === undefined && isAlreadyExists(error) && attempt < MAX_ATTEMPTS) continue;
        // Gone meanwhile, it is as if it had never been there.
        if (error instanceof KeyNotFound && attempt < MAX_ATTEMPTS) continue;
        if (!(error instanceof Conflict)) throw apiErrorOf(error, this.resource.groupResource, name);
        if (attempt >= MAX_ATTEMPTS || !options.retry) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
      }
    }
  }

  /** What is stored now, to be written anew. */
  #look(namespace: string, name: string, { request }: RuleContext): Entry | undefined | Promise<Entry> {
    const { trace } = request;
    const waiting = this.view && request;
    if (trace === undefined) return this.current(namespace, name, waiting);
    return withinPart(trace.current, () => this.current(namespace, name, waiting));
  }

  async #updateOnce(entry: Entry, name: string, produce: Produce, options: UpdateOptions): Promise<Written> {
    const old = this.decodeEntry(entry);
    const current = old.metadata.resourceVersion as string;
    this.#requireVersion(current, name, options.condition);
    const produced = await produce(old);
    const sent = this.#form?.within(produced) ?? produced;
    this.#checkVersion(sent, current, name, options);
    if (sent.metadata.uid !== undefined && sent.metadata.uid !== '' && sent.metadata.uid !== old.metadata.uid && options.checkUid)
      throw newUidConflict(this.resource.groupResource, name, sent.metadata.uid, old.metadata.uid as string);
    const object = await this.#prepared(sent, old, options);
    object.metadata.resourceVersion = current;
    const written = await this.#writeOrGiveBack(entry, object, old, options);
    if (written.outcome !== 'unchanged') await this.hub.rules.afterUpdate?.(object, old, options.context);
    if (written.outcome === 'removed') await this.hub.rules.afterDelete?.(object, options.context);
    return written;
  }

  /** What preparation has taken for the object is given back where it is not written. */
  async #writeOrGiveBack(entry: Entry, object: ApiObject, old: ApiObject, options: UpdateOptions): Promise<Written> {
    try {
      return await this.#writeChange(entry, object, old, options);
    } catch (error) {
      await this.hub.rules.afterFailure?.(object, old, options.context);
      throw error;
    }
  }

  /** Kinds of Go's say in their rules which metadata a write of the status keeps. */
  #statusKeepsMetadata(): boolean {
    return !this.hub.compiled.isGo && this.resource.subresources.get('status')?.resetFields?.includes('metadata') === true;
  }

  async #prepared(sent: ApiObject, old: ApiObject, { target, context }: UpdateOptions): Promise<ApiObject> {
    if (typeof target === 'object') return preparePart(partRules(this.hub, target.part), sent, old, context);
    if (target === 'status') prepareForStatusUpdate(this.hub, sent, old, context, this.#statusKeepsMetadata());
    else if (target === 'prepared') keepSystemMetadata(sent.metadata, old.metadata);
    else await prepareForUpdate(this.resource, this.hub, sent, old, context);
    return sent;
  }

  async #writeChange(entry: Entry, object: ApiObject, old: ApiObject, options: UpdateOptions): Promise<Written> {
    const { context } = options;
    validateUpdate(this.resource, this.hub, object, old, context, options.target);
    if (options.target === 'object') this.#warn(object, old, context);
    const condition = await options.admit(object, old);
    const isReleased = this.#isReleased(object);
    if (!isReleased && !this.#isOutdated(entry) && !changesAnything(object, old))
      return { object, stored: this.#ifCurrent(entry), outcome: 'unchanged' };
    if (context.dryRun)
      return { object: await this.#readBack(object, this.view && context.request), stored: undefined, outcome: 'unchanged' };
    context.request.throwIfOver();
    if (!isReleased) {
      const span = context.request.trace?.current;
      const encode = (): StoredBytes | Promise<StoredBytes> =>
        this.#encoding.ofWrite(object, context, this.#sharedRest(entry, object, old));
      const encoding = span === undefined ? encode() : tracedEncoding(span, encode);
      return this.#replace(entry, object, encoding, span, condition);
    }
    await this.#erase(entry, old);
    return { object, stored: undefined, outcome: 'removed' };
  }

  /** What was stored in another version is stored anew by whoever writes it, as in 1.32. */
  #isOutdated({ key, outdated }: Entry): boolean {
    if (this.view === undefined || outdated === true) return outdated === true;
    const stored = this.storage.get(key);
    return stored !== undefined && this.view.isOutdated(stored.value);
  }

  /**
   * An object as it is read again once it is stored, which another version may have changed: who writes is told what is there, as in 1.32.
   * @param value what was stored; absent after a dry run
   */
  async #readBack(object: ApiObject, waiting: Waiting | undefined, value?: StoredBytes): Promise<ApiObject> {
    const view = this.view;
    if (view === undefined || view.isStored) return object;
    const { bytes } = value ?? (await view.toStored(object, waiting));
    const [own] = await view.ofStored([bytes], waiting);
    const told = this.decodeAny(new StoredObject(own as Buffer));
    const { resourceVersion } = object.metadata;
    if (resourceVersion === undefined) delete told.metadata.resourceVersion;
    else told.metadata.resourceVersion = resourceVersion;
    return told;
  }

  /** The bytes that were stored, where they are what is spoken of here. */
  #asSpoken({ bytes }: StoredBytes): StoredObject | undefined {
    return this.view?.isStored === false ? undefined : new StoredObject(bytes);
  }

  #sharedRest(entry: Entry, object: ApiObject, old: ApiObject): Buffer | undefined {
    const stored = new StoredObject(entry.value);
    return this.isCurrent(stored) && sharesRest(object, old) ? stored.rest : undefined;
  }

  /** @throws StatusError Conflict */
  #requireVersion(current: string | undefined, name: string, condition: VersionCondition | undefined): void {
    if (condition?.(current) === false) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
  }

  #checkVersion(object: ApiObject, current: string, name: string, options: UpdateOptions): void {
    const sent = object.metadata.resourceVersion ?? '';
    if (sent === '' || sent === '0') {
      if (!this.resource.data.unconditionalUpdate && !options.retry) requireResourceVersion(this.resource, object);
      return;
    }
    if (!/^\d+$/.test(sent))
      throw newBadRequest(`metadata.resourceVersion: ${JSON.stringify(sent)} is not a resource version of this server`);
    if (sent !== current) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
  }

  /** True for a deleted object that nothing holds any longer. */
  #isReleased(object: ApiObject): boolean {
    const metadata = object.metadata;
    if (metadata.deletionTimestamp === undefined || bigintOf(metadata.deletionGracePeriodSeconds ?? 0) > 0n) return false;
    return (metadata.finalizers ?? []).length === 0 && this.hub.rules.holdsDeletion?.(object) !== true;
  }

  #ifCurrent(entry: Entry): StoredObject | undefined {
    const stored = new StoredObject(entry.value);
    return this.isCurrent(stored) ? stored : undefined;
  }

  async #replace(
    { key, revision }: Entry,
    object: ApiObject,
    encoding: StoredBytes | Promise<StoredBytes>,
    span: Span | undefined,
    condition?: WriteCondition,
  ): Promise<Written> {
    const value = encoding instanceof Promise ? await encoding : encoding;
    const update = (guard: Guard | undefined): Promise<number> =>
      span === undefined
        ? this.storage.update(key, revision, value, guard)
        : tracedWrite(span, UPDATE, () => this.storage.update(key, revision, value, guard));
    object.metadata.resourceVersion = String(await onCondition(condition, update));
    const told = await this.#readBack(object, undefined, value);
    tellReadBack(span, value.bytes.length);
    return { object: told, stored: this.#asSpoken(value), outcome: 'updated' };
  }

  /** @param last what watchers see of the removal. @param object what the kind's rules are told of */
  async #remove(entry: Entry, last: ApiObject, object: ApiObject, context: RuleContext): Promise<void> {
    if (context.dryRun) return;
    await this.#erase(entry, last);
    await this.hub.rules.afterDelete?.(object, context);
  }

  /** @param last what watchers see of the removal */
  async #erase(entry: Entry, last: ApiObject): Promise<void> {
    await this.storage.delete(entry.key, entry.revision, await this.#encoding.of(last));
  }

  /**
   * @param admit asked before anything changes, and again when another writer was faster
   * @throws StatusError NotFound, Conflict
   */
  async delete(
    namespace: string,
    name: string,
    options: DeleteOptions,
    context: RuleContext,
    admit: (old: ApiObject) => Promise<void>,
  ): Promise<Deleted> {
    for (let attempt = 1; ; attempt++) {
      const found = this.#look(namespace, name, context);
      const entry = found instanceof Promise ? await found : found;
      if (entry === undefined) throw newNotFound(this.resource.groupResource, name);
      const old = this.decodeEntry(entry);
      preconditionConflict(this.resource, this.hub, old, options);
      try {
        return await this.#deleteOnce(entry, old, options, context, admit);
      } catch (error) {
        if (!(error instanceof Conflict) && !(error instanceof KeyNotFound)) throw apiErrorOf(error, this.resource.groupResource, name);
        if (attempt >= MAX_ATTEMPTS) throw newConflict(this.resource.groupResource, name, OBJECT_MODIFIED);
      }
    }
  }

  async #deleteOnce(
    entry: Entry,
    old: ApiObject,
    options: DeleteOptions,
    context: RuleContext,
    admit: (old: ApiObject) => Promise<void>,
  ): Promise<Deleted> {
    const object = structuredCloneObject(old);
    const step = markForDeletion(this.resource, this.hub, object, options, context, this.deletion);
    if (step === 'pending') return { answer: old, gone: false };
    await admit(old);
    if (step === 'unchanged') return { answer: old, gone: false };
    context.request.throwIfOver();
    if (step === 'marked') {
      if (context.dryRun) return { answer: object, gone: false };
      return { answer: (await this.#mark(entry, object, context)).object, gone: false };
    }
    // A dry run shows what would have been stored, though only one of the two stores it.
    if (context.dryRun && step !== 'remove') return { answer: object, gone: true };
    if (step !== 'markAndRemove') {
      await this.#remove(entry, old, old, context);
      return { answer: this.#deleteAnswer(old), gone: true };
    }
    await this.#mark(entry, object, context);
    await this.#removeMarked({ ...entry, revision: Number(object.metadata.resourceVersion) }, object, context);
    return { answer: this.#deleteAnswer(object), gone: true };
  }

  /** Stores an object that says that it is being deleted. */
  #mark(entry: Entry, object: ApiObject, { request: { trace } }: RuleContext): Promise<Written> {
    if (trace === undefined) return this.#replace(entry, object, this.#encoding.of(object), undefined);
    const { namespace = '', name = '' } = object.metadata;
    return trace.during('GuaranteedUpdate etcd3', this.#traceAttributes(trace, namespace, name), () => {
      const span = trace.current;
      span.event('initial value restored');
      const encoding = tracedEncoding(span, () => this.#encoding.of(object));
      return this.#replace(entry, object, encoding, span);
    });
  }

  /** Whoever else saw the marks may have removed the object first, which is as good. */
  async #removeMarked(entry: Entry, object: ApiObject, context: RuleContext): Promise<void> {
    try {
      await this.#remove(entry, object, object, context);
    } catch (error) {
      if (!(error instanceof KeyNotFound)) throw error;
    }
  }

  /** Removes an object that was not written after a revision, whatever holds it. One that is not there, or not any longer, is as good. */
  async expire(namespace: string, name: string, revision: number, context: RuleContext): Promise<void> {
    const entry = await this.current(namespace, name);
    if (entry === undefined || entry.revision > revision) return;
    const last = this.decodeEntry(entry);
    try {
      await this.#remove(entry, last, last, context);
    } catch (error) {
      if (!(error instanceof KeyNotFound) && !(error instanceof Conflict)) throw error;
    }
  }

  #deleteAnswer(object: ApiObject): ApiObject | Status {
    if (this.resource.data.deleteAnswers === 'object') return object;
    const { group, resource } = this.resource.groupResource;
    return newSuccess(detailsOf(object.metadata.name ?? '', group, resource, { uid: object.metadata.uid ?? '' }));
  }
}

/** Objects are JSON with raw numbers in them, which structuredClone refuses: copies what writes may change, shares the rest. */
function structuredCloneObject(object: ApiObject): ApiObject {
  const copy: ApiObject = { ...object, metadata: { ...object.metadata } };
  if (copy.spec !== undefined) copy.spec = { ...copy.spec };
  if (copy.status !== undefined) copy.status = { ...copy.status };
  return copy;
}
