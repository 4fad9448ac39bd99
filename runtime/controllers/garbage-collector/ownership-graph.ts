/**
 * Who depends on whom, as the changes of the store tell it, and which objects need a look after each of them. It decides nothing: a key that needs
 * a look says no more than that.
 */

import type { OwnerReference } from '../../contract/object.ts';
import { inTurns } from '../../event-loop/turns.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/resource-store/deletion.ts';
import { type ResourceKeys, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { isStoredObject, StoredObject } from '../../registry/stored-objects/stored-object.ts';
import type { Change, Storage } from '../../storage/storage.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { DependentsIndex } from './dependents.ts';
import { NamespacedOwnerOfClusterObject, type Owners, UnknownOwnerKind } from './owners.ts';
import { isLongOwnership, isOwnedOrDeleting, isUnfinished, type Ownership, ownershipSlices, readOwnership, readUid } from './ownership.ts';

/** The number of entries that are examined in one turn while listing. */
const SLICE = 64;

/** What the graph calls for keys that must be examined. */
export interface Looks {
  /** an object that may have to go, or whose deletion may have to go on */
  collect(key: string): void;
  /** an object with references to owners that were not found */
  verify(key: string): void;
}

/** What the graph is read from. */
export interface GraphSource {
  readonly storage: Storage;
  readonly keys: ResourceKeys;
  readonly owners: Owners;
  /** of an object by its key; '' for one outside of namespaces, undefined for one whose resource is not served */
  readonly namespaceOf: (key: string) => string | undefined;
}

export class OwnershipGraph {
  readonly #source: GraphSource;
  readonly #looks: Looks;
  /** keys of dependents by the uids of their owners */
  readonly dependents = new DependentsIndex();
  /** keys of objects whose deletion waits for dependents, by uid */
  readonly #waiting = new Map<string, string>();

  constructor(source: GraphSource, looks: Looks) {
    this.#source = source;
    this.#looks = looks;
  }

  async list(revision: number): Promise<void> {
    this.dependents.clear();
    this.#waiting.clear();
    for (const resource of this.#source.keys.resources)
      if (resource.data.defaultPropagation !== 'Unsupported') await this.#listResource(storagePrefix(resource, ''), revision);
  }

  async #listResource(prefix: string, revision: number): Promise<void> {
    for await (const slice of entrySlices(this.#source.storage, prefix, { size: SLICE, atRevision: revision })) {
      const long: [key: string, stored: StoredObject][] = [];
      for (const { key, value } of slice) {
        const stored = new StoredObject(value);
        if (!isOwnedOrDeleting(stored)) continue;
        if (isLongOwnership(stored)) long.push([key, stored.kept()]);
        else finish(this.#list(key, readOwnership(stored)));
      }
      for (const [key, stored] of long) await inTurns(this.#list(key, await inTurns(ownershipSlices(stored))));
    }
  }

  *#list(key: string, ownership: Ownership): Generator<void, void, void> {
    yield* this.#observe(key, ownership, []);
    if (isUnfinished(ownership)) this.#looks.collect(key);
  }

  changed(change: Change): void | Promise<void> {
    const { key, operation } = change;
    const previous = interesting(change.previousValue);
    if (operation !== 'delete' && previous === undefined && interesting(change.value) === undefined) return;
    const resource = this.#source.keys.parse(key)?.resource;
    if (resource === undefined || resource.data.defaultPropagation === 'Unsupported') return;
    const now = new StoredObject(change.value);
    if (isLongOwnership(now) || (previous !== undefined && isLongOwnership(previous)))
      return inTurns(this.#takeIn(change, now.kept(), previous?.kept()));
    const before = previous && readOwnership(previous);
    if (operation === 'delete') finish(this.#forget(key, before, readUid(new StoredObject(change.previousValue ?? change.value))));
    else finish(this.#observe(key, readOwnership(now), before?.owners ?? []));
  }

  /** Takes a change of a long object in, in pieces. */
  *#takeIn({ key, operation }: Change, now: StoredObject, previous: StoredObject | undefined): Generator<void, void, void> {
    const before = previous && (yield* ownershipSlices(previous));
    if (operation === 'delete') yield* this.#forget(key, before, readUid(previous ?? now));
    else yield* this.#observe(key, yield* ownershipSlices(now), before?.owners ?? []);
  }

  /** Takes in an object of another server as it is now. @param before as it was taken in before; undefined where it was not */
  observe(key: string, now: Ownership, before: Ownership | undefined): void {
    finish(this.#observe(key, now, before?.owners ?? []));
  }

  /** Takes in that an object of another server has gone. @param before as of `observe` */
  forget(key: string, before: Ownership | undefined, uid: string): void {
    finish(this.#forget(key, before, uid));
  }

  /** Takes in an object as it is now. @param before its owners as they were known so far */
  *#observe(key: string, ownership: Ownership, before: readonly OwnerReference[]): Generator<void, void, void> {
    const { uid, deleting, owners, finalizers } = ownership;
    const present = new Set(owners.map((each) => each.uid));
    for (const reference of before) {
      if (!present.has(reference.uid)) this.#removeEdge(key, reference);
      yield;
    }
    const past = new Map(before.map((each) => [each.uid, each]));
    for (const reference of owners) {
      yield;
      const blocking = reference.blockOwnerDeletion === true;
      const known = past.get(reference.uid);
      this.dependents.set(reference.uid, key, blocking);
      if (known === undefined) this.#checkOwner(key, reference);
      else if (known.blockOwnerDeletion === true && !blocking) this.#wakeWaiting(reference.uid);
    }
    if (!deleting) return;
    if (finalizers.includes(ORPHAN_FINALIZER) || finalizers.includes(FOREGROUND_FINALIZER)) this.#looks.collect(key);
    else this.#waiting.delete(uid);
  }

  *#forget(key: string, ownership: Ownership | undefined, uid: string): Generator<void, void, void> {
    this.#waiting.delete(uid);
    for (const reference of ownership?.owners ?? []) {
      this.#removeEdge(key, reference);
      yield;
    }
    for (const dependent of this.dependents.of(uid)) this.#looks.collect(dependent);
  }

  #removeEdge(key: string, { uid }: OwnerReference): void {
    this.dependents.remove(uid, key);
    this.#wakeWaiting(uid);
  }

  #wakeWaiting(uid: string): void {
    const key = this.#waiting.get(uid);
    if (key !== undefined && !this.dependents.hasBlocking(uid)) this.#looks.collect(key);
  }

  /** A new reference: its owner may be missing, or about to go and take its dependents along. */
  #checkOwner(key: string, reference: OwnerReference): void {
    const namespace = this.#source.namespaceOf(key) ?? '';
    try {
      const ownerKey = this.#source.owners.key(reference, namespace);
      const owner = this.#source.owners.at(ownerKey, reference.uid);
      if (owner === undefined) this.#looks.verify(key);
      else if (
        owner.deleting &&
        owner.finalizers.some((finalizer) => finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER)
      ) {
        this.#looks.collect(ownerKey);
        this.#looks.collect(key);
      }
    } catch (error) {
      if (!(error instanceof UnknownOwnerKind) && !(error instanceof NamespacedOwnerOfClusterObject)) throw error;
      this.#looks.verify(key);
    }
  }

  /** The deletion of an object waits from now on. @returns false where it waited already */
  wait(uid: string, key: string): boolean {
    if (this.#waiting.has(uid)) return false;
    this.#waiting.set(uid, key);
    return true;
  }
}

/** Does all of it at once. */
function finish(work: Generator<void, void, void>): void {
  for (const _ of work);
}

/** @returns undefined for what is no object of an interest here */
function interesting(value: Buffer | undefined): StoredObject | undefined {
  if (value === undefined || !isStoredObject(value)) return undefined;
  const stored = new StoredObject(value);
  return isOwnedOrDeleting(stored) ? stored : undefined;
}
