/**
 * Lets go of deleted pods that no node will ever report as ended: those whose node is not there, when their grace period is over. What finalizers hold
 * longer counts as ended, too. Pods that are not deleted are left alone, on whatever node they are.
 */

import { DATED_CLOCK, type DatedClock } from '../client/work-queue/clock.ts';
import type { ApiObject } from '../contract/object.ts';
import type { Resource } from '../registry/resources/resource.ts';
import { type NamedObject, ResourceKeys, storageKey, storagePrefix } from '../registry/resources/resource-keys.ts';
import { readParts } from '../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../registry/stored-objects/stored-object.ts';
import { copyValue } from '../schema/copy.ts';
import { isNotFound } from '../status/status.ts';
import type { Change } from '../storage/storage.ts';
import { withCondition } from './conditions/conditions.ts';
import type { Controller } from './controller/controller.ts';
import type { ControllerServer } from './controller/controller-server.ts';
import { entrySlices } from './controller/entry-slices.ts';
import { WorkQueue } from './controller/work-queue.ts';
import { ControllerWriter } from './writes/controller-writer.ts';

/** Pods that are looked at, and deleted, at a time. */
const WORKERS = 4;
/** The number of pods that are examined in one turn while listing. */
const SLICE = 250;
/** The phases of pods that run no longer. */
const ENDED: readonly unknown[] = ['Succeeded', 'Failed'];
/** The most milliseconds until a pod with a long grace period is examined again. */
const LONGEST_WAIT = 3_600_000;

/** The condition of a pod that is deleted because its node has gone, in the words of 1.32. */
const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
} as const;

export class AbandonedPods implements Controller {
  readonly #server: ControllerServer;
  readonly #pods: string;
  readonly #nodes: Resource;
  readonly #keys: ResourceKeys;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  readonly #clock: DatedClock;
  /** names of the nodes that deleted pods wait for, by keys of the pods */
  readonly #waiting = new Map<string, string>();

  constructor(server: ControllerServer, clock: DatedClock = DATED_CLOCK) {
    const pods = server.registry.current.resource('', 'v1', 'pods');
    const nodes = server.registry.current.resource('', 'v1', 'nodes');
    if (pods === undefined || nodes === undefined) throw new Error('--controllers: pods and nodes are not served');
    this.#server = server;
    this.#pods = storagePrefix(pods, '');
    this.#nodes = nodes;
    this.#keys = new ResourceKeys(server.registry);
    this.#writer = new ControllerWriter(server);
    this.#clock = clock;
    this.#queue = new WorkQueue({
      name: 'orphaned_pods_nodes',
      metrics: server.metrics,
      clock,
      workers: WORKERS,
      process: (key) => this.#sync(key),
      failed: (key, error) => server.log.warn({ key, err: error }, 'an abandoned pod could not be removed'),
    });
  }

  async list(revision: number): Promise<void> {
    this.#waiting.clear();
    for await (const slice of entrySlices(this.#server.storage, this.#pods, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) if (new StoredObject(value).deleting) this.#queue.add(key);
  }

  changed({ key, operation, value }: Change): void {
    if (key.startsWith(this.#pods)) {
      if (operation === 'delete') this.#waiting.delete(key);
      else if (new StoredObject(value).deleting) this.#queue.add(key);
    } else if (operation === 'delete' && this.#waiting.size > 0 && key.startsWith(storagePrefix(this.#nodes, ''))) {
      const node = key.slice(storagePrefix(this.#nodes, '').length);
      for (const [pod, name] of this.#waiting) if (name === node) this.#queue.add(pod);
    }
  }

  stop(): Promise<void> {
    this.#writer.stop();
    return this.#queue.stop();
  }

  async #sync(key: string): Promise<void> {
    const entry = this.#server.storage.get(key);
    const named = this.#keys.parse(key);
    if (entry === undefined || named === undefined) return;
    const { metadata, spec, status } = await readParts(new StoredObject(entry.value), ['spec', 'status']);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata;
    const hasEnded = ENDED.includes(status?.phase);
    // Without a grace period only finalizers hold it.
    if (deletionTimestamp === undefined || (deletionGracePeriodSeconds === 0 && hasEnded)) return;
    const node: string = spec?.nodeName ?? '';
    // Before the node is looked for: one that goes meanwhile leads to another look.
    this.#waiting.set(key, node);
    if (this.#server.storage.get(storageKey(this.#nodes, '', node)) !== undefined) return;
    const left = Date.parse(deletionTimestamp) - this.#clock.date();
    if (left > 0) return this.#queue.addAfter(key, Math.min(left, LONGEST_WAIT));
    await this.#remove(named, metadata.uid as string, { node, hasEnded });
  }

  /** Deletes a pod. Nobody else will say how it ended, so it counts as failed and says that its node has gone, where the release has that. */
  async #remove(pod: NamedObject, uid: string, { node, hasEnded }: { readonly node: string; readonly hasEnded: boolean }): Promise<void> {
    try {
      const { hub } = await this.#writer.store(pod.resource);
      const tells = this.#server.featureEnabled('PodDisruptionConditions');
      // The first releases in which pods count as failed do so for jobs alone, which wait for that.
      const fails = tells || this.#server.featureEnabled('JobPodReplacementPolicy');
      const failed = (old: ApiObject): ApiObject => {
        const object = tells && node !== '' ? withCondition(old, DISRUPTED, Date.now()) : copyValue(old);
        object.status = { ...object.status, phase: 'Failed' };
        return hub.decode(object).object;
      };
      if (!hasEnded && fails) await this.#writer.update(pod, 'status', (old) => (old.metadata.uid === uid ? failed(old) : copyValue(old)));
      await this.#writer.delete(pod, { gracePeriodSeconds: 0, preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}
