/** Deletes objects of one resource: marks or removes them, and makes the answer for the client (specification: Deletion). */
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { detailsOf, newConflict, newSuccess, OBJECT_MODIFIED, type Status } from '../../status/status.ts';
import { KeyNotFound, ValueDamaged } from '../../storage/errors.ts';
import type { Entry } from '../../storage/storage.ts';
import { newAbsent } from './absent-object.ts';
import {
  type DeleteOptions,
  type DeletionSettings,
  markForDeletion,
  preconditionConflict,
  type TakenOptions,
  takenOptions,
} from './deletion.ts';
import { MAX_ATTEMPTS, type Marked, type ObjectWrites } from './object-writes.ts';
import type { ResourceReader } from './resource-reader.ts';
import { apiErrorOf, isOvertaken } from './storage-errors.ts';
import type { UnreadableObjects } from './unreadable-objects.ts';

/** The outcome of a delete. */
export interface Deleted {
  /** the answer to the client */
  readonly answer: ApiObject | Status;
  /** false while the object waits for its grace period or its finalizers */
  readonly gone: boolean;
}

/**
 * Asks admission about the delete of a stored object.
 * @param taken what the delete takes for its options where that differs from what the client has stated
 */
export type AdmitDeletion = (old: ApiObject, taken: TakenOptions) => Promise<void>;

/** What `ObjectDeletions` works with. */
export interface DeletionParts {
  readonly reader: ResourceReader;
  readonly settings: DeletionSettings;
  readonly writes: ObjectWrites;
  readonly unreadable: UnreadableObjects;
}

export class ObjectDeletions {
  readonly settings: DeletionSettings;
  readonly #reader: ResourceReader;
  readonly #writes: ObjectWrites;
  readonly #unreadable: UnreadableObjects;

  constructor({ reader, settings, writes, unreadable }: DeletionParts) {
    this.settings = settings;
    this.#reader = reader;
    this.#writes = writes;
    this.#unreadable = unreadable;
  }

  /**
   * Deletes one object, or marks it where something still holds it. Tries again when another writer was faster.
   * @param admit called with the stored object before anything changes, for each attempt; as in 1.32 once more before an object is removed whose marks, or
   * the finalizer that this delete takes away, might have held it
   * @throws StatusError NotFound, Conflict, what `admit` throws
   */
  async delete(namespace: string, name: string, options: DeleteOptions, context: RuleContext, admit: AdmitDeletion): Promise<Deleted> {
    const { resource, hub } = this.#reader;
    for (let attempt = 1; ; attempt++) {
      const found = this.#reader.currentFor(context.request, namespace, name);
      const entry = found instanceof Promise ? await found : found;
      if (entry === undefined) throw newAbsent(resource.groupResource, name);
      const old = this.#reader.decodeEntry(entry);
      preconditionConflict(resource, hub, old, options);
      try {
        return await this.#deleteOnce(entry, old, options, context, admit);
      } catch (error) {
        if (!isOvertaken(error)) throw apiErrorOf(error, resource.groupResource, name);
        if (attempt >= MAX_ATTEMPTS) throw newConflict(resource.groupResource, name, OBJECT_MODIFIED);
      }
    }
  }

  async #deleteOnce(entry: Entry, old: ApiObject, options: DeleteOptions, context: RuleContext, admit: AdmitDeletion): Promise<Deleted> {
    const { resource, hub } = this.#reader;
    const object = copyForMarks(old);
    const step = markForDeletion(resource, hub, object, options, context, this.settings);
    if (step === 'pending') return { answer: old, gone: false };
    const taken = takenOptions(hub, old, object, options);
    await admit(old, taken);
    if (step === 'unchanged') return { answer: old, gone: false };
    context.request.throwIfOver();
    if (step === 'marked') {
      if (context.dryRun) return { answer: object, gone: false };
      return { answer: (await this.#writes.mark(entry, object, context)).object, gone: false };
    }
    // A dry run shows what would have been stored, though only one of the two stores it.
    if (context.dryRun && step !== 'remove') return { answer: object, gone: true };
    if (step !== 'markAndRemove') {
      if (step === 'release') await admit(old, taken);
      context.request.throwIfOver();
      const revision = await this.#remove(entry, old, context);
      return { answer: this.#deleteAnswer(old, revision), gone: true };
    }
    const marked = await this.#writes.mark(entry, object, context);
    await admit(marked.object, taken);
    const revision = await this.#removeMarked(marked, object, context);
    return { answer: this.#deleteAnswer(object, revision), gone: true };
  }

  /**
   * Another writer that saw the marks may have removed the object first: the deletion has succeeded then as well.
   * @returns the revision of the removal; undefined where another writer removed the object
   */
  async #removeMarked(marked: Marked, object: ApiObject, context: RuleContext): Promise<number | undefined> {
    try {
      const revision = await this.#writes.eraseMarked(marked, context.request);
      await this.#reader.hub.rules.afterDelete?.(object, context);
      return revision;
    } catch (error) {
      if (!(error instanceof KeyNotFound)) throw error;
      return undefined;
    }
  }

  /**
   * Removes an object although finalizers may hold it, and although its bytes may be damaged. Does nothing where the object is gone already, or where
   * somebody has written it since.
   * @param revision inclusive storage revision: the last write at which the object is still to be removed
   */
  async expire(namespace: string, name: string, revision: number, context: RuleContext): Promise<void> {
    try {
      const entry = await this.#reader.current(namespace, name);
      if (entry === undefined || entry.revision > revision) return;
      await this.#remove(entry, this.#reader.decodeEntry(entry), context);
    } catch (error) {
      if (error instanceof ValueDamaged) return this.#unreadable.expire(namespace, name, revision);
      if (!isOvertaken(error)) throw error;
    }
  }

  /** @param revision that of the removal, which an answered object has as its resourceVersion, as in 1.32; undefined for none */
  #deleteAnswer(object: ApiObject, revision: number | undefined): ApiObject | Status {
    const { data, groupResource } = this.#reader.resource;
    if (data.deleteAnswers === 'object')
      return revision === undefined ? object : { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
    const { group, resource } = groupResource;
    return newSuccess(detailsOf(object.metadata.name ?? '', group, resource, { uid: object.metadata.uid ?? '' }));
  }

  /** @returns the revision of the removal; undefined for a dry run */
  async #remove(entry: Entry, object: ApiObject, context: RuleContext): Promise<number | undefined> {
    if (context.dryRun) return undefined;
    const revision = await this.#writes.remove(entry, object, context.request);
    await this.#reader.hub.rules.afterDelete?.(object, context);
    return revision;
  }
}

/** Copies what marking changes, and shares the rest. structuredClone would refuse the raw numbers in an object. */
function copyForMarks(object: ApiObject): ApiObject {
  const copy: ApiObject = { ...object, metadata: { ...object.metadata } };
  if (copy.spec !== undefined) copy.spec = { ...copy.spec };
  if (copy.status !== undefined) copy.status = { ...copy.status };
  return copy;
}
