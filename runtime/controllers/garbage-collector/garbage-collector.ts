/**
 * Collects objects whose owners are gone, and finishes deletions that wait for dependents: foreground ones once their blocking dependents are
 * gone, orphaning ones once nobody refers to the object any longer (specification: Deletion).
 *
 * A change in the store only says which keys need a look. What is to be done is decided from the store as it is then, so nothing is lost by a
 * restart: listing finds every object that has owners or waits.
 */

import type { PropagationPolicy } from '../../contract/kind.ts';
import type { OwnerReference } from '../../contract/object.ts';
import type { Log } from '../../observability/log.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/deletion.ts';
import { inTurns, turn } from '../../registry/event-loop-turns.ts';
import { type NamedObject, ResourceKeys, storagePrefix } from '../../registry/resource-keys.ts';
import { isStoredObject, StoredObject } from '../../registry/stored-object.ts';
import { isConflict, isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller.ts';
import type { ControllerServer } from '../controller-server.ts';
import { ControllerWriter } from '../controller-writer.ts';
import { entrySlices } from '../entry-slices.ts';
import type { OwnerSource } from '../owner-source.ts';
import { WorkQueue } from '../work-queue.ts';
import { DependentsIndex } from './dependents.ts';
import { MisplacedOwners } from './misplaced-owners.ts';
import { NamespacedOwnerOfClusterObject, Owners, UnknownOwnerKind } from './owners.ts';
import { OwnersElsewhere } from './owners-elsewhere.ts';
import {
  isLongOwnership,
  isOwnedOrDeleting,
  type OwnerState,
  type Ownership,
  ownershipSlices,
  readOwnership,
  readUid,
} from './ownership.ts';

const WORKERS = 20;
/** Entries looked at in one turn while listing. */
const SLICE = 64;
/** Dependents that lose a reference at the same time. */
const ORPHANED_AT_ONCE = 16;

/** Milliseconds between looks at owners that other servers have, whose end nobody tells of. */
const LOOK_ELSEWHERE = 30_000;
const NOBODY: OwnerSource = { isEmpty: true, place: async () => undefined };

interface Found extends NamedObject {
  readonly key: string;
  readonly ownership: Ownership;
}

export class GarbageCollector implements Controller {
  readonly #server: ControllerServer;
  readonly #log: Log;
  readonly #keys: ResourceKeys;
  readonly #owners: Owners;
  readonly #elsewhere: OwnersElsewhere;
  readonly #lookElsewhere: number;
  readonly #misplaced: MisplacedOwners;
  readonly #writer: ControllerWriter;
  readonly #caughtUp: () => Promise<void>;
  readonly #dependents = new DependentsIndex();
  /** keys of objects whose deletion waits for dependents, by uid */
  readonly #waiting = new Map<string, string>();
  /** objects that may have to go, or whose deletion may have to go on */
  readonly #collection: WorkQueue;
  /** objects with references to owners that were not found */
  readonly #verification: WorkQueue;

  /**
   * @param caughtUp resolves when `changed` has been called for all that the store holds at the time of the call
   * @param elsewhere has owners of kinds that are not served here
   * @param lookElsewhere milliseconds between looks at those that are there
   */
  constructor(
    server: ControllerServer,
    caughtUp: () => Promise<void>,
    elsewhere: OwnerSource = NOBODY,
    lookElsewhere: number = LOOK_ELSEWHERE,
  ) {
    const { registry, storage } = server;
    this.#server = server;
    this.#log = server.log;
    this.#caughtUp = caughtUp;
    this.#keys = new ResourceKeys(registry);
    this.#owners = new Owners(registry, storage, (group, version) => {
      server.latestRegistry?.();
      return server.aggregation?.versions.get(group, version) !== undefined;
    });
    this.#elsewhere = new OwnersElsewhere(elsewhere);
    this.#lookElsewhere = lookElsewhere;
    this.#writer = new ControllerWriter(server);
    this.#misplaced = new MisplacedOwners({ registry, storage, owners: this.#owners, writer: this.#writer });
    const failed = (key: string, error: unknown): void => {
      if (error instanceof UnknownOwnerKind) this.#log.debug({ key, err: error }, 'an object stays uncollected');
      else if (isConflict(error)) this.#log.debug({ key }, 'an object has changed meanwhile');
      else this.#log.warn({ key, err: error }, 'garbage collection failed for now');
    };
    const { metrics } = server;
    this.#collection = new WorkQueue({
      name: 'garbage_collector_attempt_to_delete',
      metrics,
      workers: WORKERS,
      process: (key) => this.#collect(key),
      failed,
    });
    this.#verification = new WorkQueue({
      name: 'garbage_collector_attempt_to_verify',
      metrics,
      workers: 1,
      process: (key) => this.#verify(key),
      failed,
    });
  }

  async list(revision: number): Promise<void> {
    this.#dependents.clear();
    this.#waiting.clear();
    for (const resource of this.#keys.resources)
      if (resource.data.defaultPropagation !== 'Unsupported') await this.#listResource(storagePrefix(resource, ''), revision);
  }

  async #listResource(prefix: string, revision: number): Promise<void> {
    for await (const slice of entrySlices(this.#server.storage, prefix, { size: SLICE, atRevision: revision })) {
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
    if (isUnfinished(ownership)) this.#collection.add(key);
  }

  changed(change: Change): void | Promise<void> {
    const { key, operation } = change;
    const previous = interesting(change.previousValue);
    if (operation !== 'delete' && previous === undefined && interesting(change.value) === undefined) return;
    const resource = this.#keys.parse(key)?.resource;
    if (resource === undefined || resource.data.defaultPropagation === 'Unsupported') return;
    const now = new StoredObject(change.value);
    if (isLongOwnership(now) || (previous !== undefined && isLongOwnership(previous)))
      return inTurns(this.#takeIn(change, now.kept(), previous?.kept()));
    const before = previous && readOwnership(previous);
    if (operation === 'delete') finish(this.#forget(key, before, readUid(new StoredObject(change.previousValue ?? change.value))));
    else finish(this.#observe(key, readOwnership(now), before?.owners ?? []));
  }

  /** A change of a long object. */
  *#takeIn({ key, operation }: Change, now: StoredObject, previous: StoredObject | undefined): Generator<void, void, void> {
    const before = previous && (yield* ownershipSlices(previous));
    if (operation === 'delete') yield* this.#forget(key, before, readUid(previous ?? now));
    else yield* this.#observe(key, yield* ownershipSlices(now), before?.owners ?? []);
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
      this.#dependents.set(reference.uid, key, blocking);
      if (known === undefined) this.#checkOwner(key, reference);
      else if (known.blockOwnerDeletion === true && !blocking) this.#wakeWaiting(reference.uid);
    }
    if (!deleting) return;
    if (finalizers.includes(ORPHAN_FINALIZER) || finalizers.includes(FOREGROUND_FINALIZER)) this.#collection.add(key);
    else this.#waiting.delete(uid);
  }

  *#forget(key: string, ownership: Ownership | undefined, uid: string): Generator<void, void, void> {
    this.#waiting.delete(uid);
    for (const reference of ownership?.owners ?? []) {
      this.#removeEdge(key, reference);
      yield;
    }
    for (const dependent of this.#dependents.of(uid)) this.#collection.add(dependent);
  }

  #removeEdge(key: string, { uid }: OwnerReference): void {
    this.#dependents.remove(uid, key);
    this.#wakeWaiting(uid);
  }

  #wakeWaiting(uid: string): void {
    const key = this.#waiting.get(uid);
    if (key !== undefined && !this.#dependents.hasBlocking(uid)) this.#collection.add(key);
  }

  /** A new reference: its owner may be missing, or about to go and take its dependents along. */
  #checkOwner(key: string, reference: OwnerReference): void {
    const object = this.#keys.parse(key) as NamedObject;
    try {
      const ownerKey = this.#owners.key(reference, object.namespace);
      const owner = this.#owners.at(ownerKey, reference.uid);
      if (owner === undefined) this.#verification.add(key);
      else if (
        owner.deleting &&
        owner.finalizers.some((finalizer) => finalizer === ORPHAN_FINALIZER || finalizer === FOREGROUND_FINALIZER)
      ) {
        this.#collection.add(ownerKey);
        this.#collection.add(key);
      }
    } catch (error) {
      if (!(error instanceof UnknownOwnerKind) && !(error instanceof NamespacedOwnerOfClusterObject)) throw error;
      this.#verification.add(key);
    }
  }

  /** Reports owners in other namespaces before their dependent goes, which erases the reason. */
  async #verify(key: string): Promise<void> {
    const found = await this.#find(key);
    if (found === undefined) return;
    let looked = 0;
    for (const reference of found.ownership.owners) {
      if (++looked % SLICE === 0) await turn();
      try {
        if (this.#owners.find(reference, found.namespace) !== undefined) continue;
      } catch (error) {
        if (error instanceof UnknownOwnerKind) continue;
        if (!(error instanceof NamespacedOwnerOfClusterObject)) throw error;
      }
      await this.#misplaced.report(found, found.ownership.uid, reference);
    }
    this.#collection.add(key);
  }

  async #find(key: string): Promise<Found | undefined> {
    const entry = this.#server.storage.get(key);
    const object = this.#keys.parse(key);
    if (entry === undefined || object === undefined) return undefined;
    const stored = new StoredObject(entry.value);
    const ownership = isLongOwnership(stored) ? await inTurns(ownershipSlices(stored)) : readOwnership(stored);
    return { ...object, key, ownership };
  }

  /** Does what an object needs now. @throws StatusError, UnknownOwnerKind: it is tried again later */
  async #collect(key: string): Promise<void> {
    await this.#caughtUp();
    const found = await this.#find(key);
    if (found === undefined) return;
    try {
      if (isUnfinished(found.ownership)) await this.#finish(found);
      else if (!found.ownership.deleting) await this.#collectUnowned(found);
      else if (found.ownership.finalizers.includes(ORPHAN_FINALIZER)) await this.#orphanDependents(found);
      else if (found.ownership.finalizers.includes(FOREGROUND_FINALIZER)) await this.#releaseWaiting(found);
    } catch (error) {
      if (!isNotFound(error) && !(error instanceof NamespacedOwnerOfClusterObject)) throw error;
    }
  }

  /** Kinds that mark themselves are let go by somebody else. */
  async #finish(found: Found): Promise<void> {
    const { hub } = await this.#writer.store(found.resource);
    if (hub.rules.prepareForDeletion === undefined) await this.#writer.delete(found, { preconditions: { uid: found.ownership.uid } });
  }

  async #collectUnowned(found: Found): Promise<void> {
    const { uid, owners } = found.ownership;
    if (owners.length === 0) return;
    const elsewhere = await this.#findElsewhere(owners, found.namespace);
    const { solid, dangling, waiting } = await inTurns(this.#owners.classify(owners, found.namespace, elsewhere));
    if (elsewhere !== undefined && solid.length + waiting.length > 0) this.#collection.addAfter(found.key, this.#lookElsewhere);
    if (solid.length > 0) {
      const lost = new Set([...dangling, ...waiting].map((reference) => reference.uid));
      if (lost.size > 0) await this.#removeReferences(found, lost);
      return;
    }
    if (waiting.length > 0 && this.#dependents.has(uid)) {
      const resourceVersion = (await this.#isInCycle(uid)) ? await this.#unblockOwners(found) : found.ownership.resourceVersion;
      return this.#delete(found, 'Foreground', resourceVersion);
    }
    return this.#delete(found, policyOf(found.ownership.finalizers), found.ownership.resourceVersion);
  }

  /**
   * Owners whose kinds are not here, by their uids.
   * @returns undefined where there are none, or no other server is asked
   * @throws UnknownOwnerKind where something cannot be said of one of them
   */
  async #findElsewhere(owners: readonly OwnerReference[], namespace: string): Promise<Map<string, OwnerState | undefined> | undefined> {
    if (this.#elsewhere.isEmpty) return undefined;
    let found: Map<string, OwnerState | undefined> | undefined;
    let looked = 0;
    for (const reference of owners) {
      if (++looked % SLICE === 0) await turn();
      if (this.#owners.isHere(reference)) continue;
      const owner = await this.#elsewhere.find(reference, namespace);
      if (owner === 'unknown') throw new UnknownOwnerKind(reference);
      found ??= new Map();
      found.set(reference.uid, owner);
    }
    return found;
  }

  /** An object that changed meanwhile is looked at again. */
  async #delete(found: Found, propagationPolicy: PropagationPolicy, resourceVersion: string): Promise<void> {
    await this.#writer.delete(found, { propagationPolicy, preconditions: { uid: found.ownership.uid, resourceVersion } });
  }

  /** Whether a dependent of an object waits for its own dependents: the object may be one of those, and both would wait for ever. */
  async #isInCycle(uid: string): Promise<boolean> {
    let looked = 0;
    for (const dependent of this.#dependents.of(uid)) {
      const ownership = (await this.#find(dependent))?.ownership;
      if (ownership?.deleting === true && ownership.finalizers.includes(FOREGROUND_FINALIZER)) return true;
      if (++looked % SLICE === 0) await turn();
    }
    return false;
  }

  /** @returns the object's new resourceVersion */
  async #unblockOwners(found: Found): Promise<string> {
    return this.#writer.editMetadata(found, (metadata) => {
      for (const reference of metadata.ownerReferences ?? [])
        if (reference.blockOwnerDeletion === true) reference.blockOwnerDeletion = false;
    });
  }

  async #removeReferences(object: NamedObject, owners: ReadonlySet<string>): Promise<void> {
    await this.#writer.editMetadata(object, (metadata) => {
      const kept = (metadata.ownerReferences ?? []).filter(({ uid }) => !owners.has(uid));
      if (kept.length > 0) metadata.ownerReferences = kept;
      else delete metadata.ownerReferences;
    });
  }

  /** New dependents may come while others are changed: only when none is left does the object go. */
  async #orphanDependents(found: Found): Promise<void> {
    const owner = new Set([found.ownership.uid]);
    while (this.#dependents.has(found.ownership.uid)) {
      const dependents = this.#dependents.of(found.ownership.uid).take(ORPHANED_AT_ONCE).toArray();
      await Promise.all(dependents.map((key) => this.#orphan(key, owner)));
      await this.#caughtUp();
    }
    await this.#removeFinalizer(found, ORPHAN_FINALIZER);
  }

  async #orphan(key: string, owner: ReadonlySet<string>): Promise<void> {
    const dependent = this.#keys.parse(key) as NamedObject;
    try {
      await this.#removeReferences(dependent, owner);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #releaseWaiting(found: Found): Promise<void> {
    const { uid } = found.ownership;
    if (!this.#waiting.has(uid)) {
      this.#waiting.set(uid, found.key);
      for (const dependent of this.#dependents.of(uid)) this.#collection.add(dependent);
    }
    if (!this.#dependents.hasBlocking(uid)) await this.#removeFinalizer(found, FOREGROUND_FINALIZER);
    else if (await this.#waitsForItself(found)) await this.#unblockOwners(found);
  }

  /**
   * Whether an object is among what it waits for: all of its circle were deleted before anybody knew of it, and would wait for ever, as they do in 1.32.
   * @param found its deletion waits for dependents
   */
  async #waitsForItself(found: Found): Promise<boolean> {
    const seen = new Set<string>();
    const waiting = [found];
    let looked = 0;
    // it grows by those that wait for one of its members
    for (const { ownership, namespace } of waiting)
      for (const reference of ownership.owners) {
        if (++looked % SLICE === 0) await turn();
        if (reference.blockOwnerDeletion !== true || seen.has(reference.uid)) continue;
        if (reference.uid === found.ownership.uid) return true;
        seen.add(reference.uid);
        const owner = await this.#waitingOwner(reference, namespace);
        if (owner !== undefined) waiting.push(owner);
      }
    return false;
  }

  /** @returns undefined for an owner that is not here, or waits for no dependents */
  async #waitingOwner(reference: OwnerReference, namespace: string): Promise<Found | undefined> {
    let key: string;
    try {
      key = this.#owners.key(reference, namespace);
    } catch (error) {
      if (error instanceof UnknownOwnerKind || error instanceof NamespacedOwnerOfClusterObject) return undefined;
      throw error;
    }
    const owner = this.#owners.at(key, reference.uid);
    return owner?.deleting === true && owner.finalizers.includes(FOREGROUND_FINALIZER) ? this.#find(key) : undefined;
  }

  async #removeFinalizer(found: Found, finalizer: string): Promise<void> {
    await this.#writer.editMetadata(found, (metadata) => {
      if (metadata.uid !== found.ownership.uid) return;
      const kept = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
      if (kept.length > 0) metadata.finalizers = kept;
      else delete metadata.finalizers;
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#verification.stop(), this.#collection.stop()]);
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

/** Marked, with nothing left to wait for: the server went down between the marks and the removal, or is about to remove it. */
function isUnfinished({ deleting, grace, finalizers }: Ownership): boolean {
  return deleting && grace === 0 && finalizers.length === 0;
}

/** A finalizer that asks for a policy is heard, else dependents are collected afterwards. */
function policyOf(finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
