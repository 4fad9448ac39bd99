/**
 * Collects objects whose owners are gone, and finishes deletions that wait for dependents: foreground ones once their blocking dependents are
 * gone, orphaning ones once nobody refers to the object any longer (specification: Deletion).
 *
 * A change in the store only says which keys need a look. What is to be done is decided from the store as it is then, so nothing is lost by a
 * restart: listing finds every object that has owners or waits.
 */

import type { PropagationPolicy } from '../../contract/kind-rules.ts';
import type { OwnerReference } from '../../contract/object.ts';
import { inTurns, turn } from '../../event-loop/turns.ts';
import type { Log } from '../../observability/log.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../registry/resource-store/deletion.ts';
import { ResourceKeys } from '../../registry/resources/resource-keys.ts';
import { isConflict, isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import type { OwnerSource } from '../controller/owner-source.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { type CollectedObject, CollectedObjects } from './collected-objects.ts';
import { MisplacedOwners } from './misplaced-owners.ts';
import { NamespacedOwnerOfClusterObject, Owners, UnknownOwnerKind } from './owners.ts';
import { OwnersElsewhere } from './owners-elsewhere.ts';
import { isUnfinished, type OwnerState } from './ownership.ts';
import { OwnershipGraph } from './ownership-graph.ts';
import { RemoteObjects } from './remote-objects.ts';

/** Objects that are looked at, and written, at a time: as many as in 1.32. */
const WORKERS = 20;
/** The number of references or dependents that are examined in one turn. */
const SLICE = 64;
/** The number of dependents from which a reference is removed at the same time. */
const ORPHANED_AT_ONCE = 16;

/** The milliseconds between looks at owners that other servers have, because nobody tells when they are removed. */
const LOOK_ELSEWHERE = 30_000;
const NOBODY: OwnerSource = { isEmpty: true, place: async () => undefined };

export class GarbageCollector implements Controller {
  readonly #log: Log;
  readonly #owners: Owners;
  readonly #elsewhere: OwnersElsewhere;
  readonly #lookElsewhere: number;
  readonly #misplaced: MisplacedOwners;
  readonly #writer: ControllerWriter;
  readonly #objects: CollectedObjects;
  readonly #remote: RemoteObjects | undefined;
  readonly #caughtUp: () => Promise<void>;
  readonly #graph: OwnershipGraph;
  readonly #collection: WorkQueue;
  readonly #verification: WorkQueue;

  /**
   * @param caughtUp resolves when `changed` has been called for all that the store holds at the time of the call
   * @param elsewhere has owners of kinds that are not served here
   * @param lookElsewhere milliseconds between looks at those that are there
   * @param remote has the objects of the servers behind this one; absent: none are collected
   */
  constructor(
    server: ControllerServer,
    caughtUp: () => Promise<void>,
    elsewhere: OwnerSource = NOBODY,
    lookElsewhere: number = LOOK_ELSEWHERE,
    remote?: RemoteObjects,
  ) {
    const { registry, storage } = server;
    this.#log = server.log;
    this.#caughtUp = caughtUp;
    const keys = new ResourceKeys(registry);
    this.#owners = new Owners(registry, storage, (group, version) => {
      server.latestRegistry?.();
      return server.aggregation?.versions.get(group, version) !== undefined;
    });
    this.#elsewhere = new OwnersElsewhere(elsewhere);
    this.#lookElsewhere = lookElsewhere;
    this.#writer = new ControllerWriter(server);
    this.#remote = remote;
    this.#objects = new CollectedObjects({ storage, keys, writer: this.#writer, requests: remote && (() => remote.requests()) });
    this.#misplaced = new MisplacedOwners({ registry, storage, owners: this.#owners, writer: this.#writer });
    const failed = (key: string, error: unknown): void => {
      if (error instanceof UnknownOwnerKind) this.#log.debug({ key, err: error }, 'an object stays uncollected');
      else if (isConflict(error)) this.#log.debug({ key }, 'an object has changed meanwhile');
      else this.#log.warn({ key, err: error }, 'garbage collection failed for now');
    };
    this.#graph = new OwnershipGraph(
      { storage, keys, owners: this.#owners, namespaceOf: (key) => this.#objects.namespaceOf(key) },
      { collect: (key) => this.#collection.add(key), verify: (key) => this.#verification.add(key) },
    );
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
    await this.#graph.list(revision);
    this.#remote?.tell({
      observe: (key, now, before) => {
        if (now.deleting) this.#elsewhere.forget(key);
        this.#graph.observe(key, now, before);
      },
      forget: (key, before, uid) => {
        this.#elsewhere.forget(key);
        this.#graph.forget(key, before, uid);
      },
    });
  }

  changed(change: Change): void | Promise<void> {
    return this.#graph.changed(change);
  }

  /** Reports owners in other namespaces before their dependent goes, which erases the reason. */
  async #verify(key: string): Promise<void> {
    const found = await this.#objects.find(key);
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
      if (found.here !== undefined) await this.#misplaced.report(found.here, found.ownership.uid, reference);
    }
    this.#collection.add(key);
  }

  /** Does what an object needs now. @throws StatusError, UnknownOwnerKind: it is tried again later */
  async #collect(key: string): Promise<void> {
    await this.#caughtUp();
    const found = await this.#objects.find(key);
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

  /** Kinds that mark themselves are let go by somebody else, and objects of another server by that. */
  async #finish(found: CollectedObject): Promise<void> {
    if (found.here === undefined) return;
    const { hub } = await this.#writer.store(found.here.resource);
    if (hub.rules.prepareForDeletion === undefined) await this.#writer.delete(found.here, { preconditions: { uid: found.ownership.uid } });
  }

  async #collectUnowned(found: CollectedObject): Promise<void> {
    const { uid, owners } = found.ownership;
    if (owners.length === 0) return;
    const elsewhere = await this.#findElsewhere(owners, found.namespace);
    const { solid, dangling, waiting } = await inTurns(this.#owners.classify(owners, found.namespace, elsewhere));
    if (elsewhere !== undefined && solid.length + waiting.length > 0) this.#collection.addAfter(found.key, this.#lookElsewhere);
    if (solid.length > 0) {
      const lost = new Set([...dangling, ...waiting].map((reference) => reference.uid));
      if (lost.size > 0) await this.#removeReferences(found.key, lost);
      return;
    }
    if (waiting.length > 0 && this.#graph.dependents.has(uid)) {
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
  async #delete(found: CollectedObject, propagationPolicy: PropagationPolicy, resourceVersion: string): Promise<void> {
    await this.#objects.delete(found, { propagationPolicy, preconditions: { uid: found.ownership.uid, resourceVersion } });
  }

  /** Whether a dependent of an object waits for its own dependents: the object may be one of those, and both would wait for ever. */
  async #isInCycle(uid: string): Promise<boolean> {
    let looked = 0;
    for (const dependent of this.#graph.dependents.of(uid)) {
      const ownership = (await this.#objects.find(dependent))?.ownership;
      if (ownership?.deleting === true && ownership.finalizers.includes(FOREGROUND_FINALIZER)) return true;
      if (++looked % SLICE === 0) await turn();
    }
    return false;
  }

  /** @returns the object's new resourceVersion */
  async #unblockOwners(found: CollectedObject): Promise<string> {
    return this.#objects.editMetadata(found.key, (metadata) => {
      for (const reference of metadata.ownerReferences ?? [])
        if (reference.blockOwnerDeletion === true) reference.blockOwnerDeletion = false;
    });
  }

  async #removeReferences(key: string, owners: ReadonlySet<string>): Promise<void> {
    await this.#objects.editMetadata(key, (metadata) => {
      const kept = (metadata.ownerReferences ?? []).filter(({ uid }) => !owners.has(uid));
      if (kept.length > 0) metadata.ownerReferences = kept;
      else delete metadata.ownerReferences;
    });
  }

  /** New dependents may come while others are changed: only when none is left does the object go. */
  async #orphanDependents(found: CollectedObject): Promise<void> {
    await this.#remote?.looked();
    const owner = new Set([found.ownership.uid]);
    while (this.#graph.dependents.has(found.ownership.uid)) {
      const dependents = this.#graph.dependents.of(found.ownership.uid).take(ORPHANED_AT_ONCE).toArray();
      await Promise.all(dependents.map((key) => this.#orphan(key, owner)));
      await this.#caughtUp();
    }
    await this.#removeFinalizer(found, ORPHAN_FINALIZER);
  }

  async #orphan(key: string, owner: ReadonlySet<string>): Promise<void> {
    try {
      await this.#removeReferences(key, owner);
      // the watch of another server tells of it later
      if (RemoteObjects.isKey(key)) for (const uid of owner) this.#graph.dependents.remove(uid, key);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #releaseWaiting(found: CollectedObject): Promise<void> {
    const { uid } = found.ownership;
    await this.#remote?.looked();
    if (this.#graph.wait(uid, found.key)) for (const dependent of this.#graph.dependents.of(uid)) this.#collection.add(dependent);
    if (!this.#graph.dependents.hasBlocking(uid)) await this.#removeFinalizer(found, FOREGROUND_FINALIZER);
    else if (await this.#waitsForItself(found)) await this.#unblockOwners(found);
  }

  /**
   * Whether an object is among what it waits for: all of its circle were deleted before anybody knew of it, and would wait for ever, as they do in 1.32.
   * @param found its deletion waits for dependents
   */
  async #waitsForItself(found: CollectedObject): Promise<boolean> {
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
  async #waitingOwner(reference: OwnerReference, namespace: string): Promise<CollectedObject | undefined> {
    let key: string;
    try {
      key = this.#owners.key(reference, namespace);
    } catch (error) {
      if (error instanceof UnknownOwnerKind || error instanceof NamespacedOwnerOfClusterObject) return undefined;
      throw error;
    }
    const owner = this.#owners.at(key, reference.uid);
    return owner?.deleting === true && owner.finalizers.includes(FOREGROUND_FINALIZER) ? this.#objects.find(key) : undefined;
  }

  async #removeFinalizer(found: CollectedObject, finalizer: string): Promise<void> {
    await this.#objects.editMetadata(found.key, (metadata) => {
      if (metadata.uid !== found.ownership.uid) return;
      const kept = (metadata.finalizers ?? []).filter((each) => each !== finalizer);
      if (kept.length > 0) metadata.finalizers = kept;
      else delete metadata.finalizers;
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#remote?.stop(), this.#verification.stop(), this.#collection.stop()]);
  }
}

/** A finalizer that asks for a policy is heard, else dependents are collected afterwards. */
function policyOf(finalizers: readonly string[]): PropagationPolicy {
  if (finalizers.includes(ORPHAN_FINALIZER)) return 'Orphan';
  return finalizers.includes(FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
