/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or when the time is over for which they do. Times are those of this
 * process: they begin when it learns of the taint.
 */

import { type Clock, PROCESS_CLOCK } from '../../client/work-queue/clock.ts';
import type { ApiObject } from '../../contract/object.ts';
import { turn } from '../../event-loop/turns.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { type NamedObject, ResourceKeys, storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { copyValue } from '../../schema/copy.ts';
import type { Change } from '../../storage/storage.ts';
import { hasCondition, withCondition } from '../conditions/conditions.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { PodQueue } from '../pods-of-nodes/pod-queue.ts';
import { PodsOfNodes } from '../pods-of-nodes/pods-of-nodes.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { EventRecorder } from '../writes/event-recorder.ts';
import { executingTaints, tolerated } from './tolerations.ts';
import { WaitingPods } from './waiting-pods.ts';

/** Nodes and pods that are looked at, and written, at a time: as many as in 1.32. */
const WORKERS = 8;
/** The number of nodes that are examined in one turn while listing. */
const SLICE = 100;
/** The most milliseconds until a pod that tolerates taints for long is examined again. */
const LONGEST_WAIT = 3_600_000;

/** The source of events. */
const COMPONENT = 'taint-eviction-controller';

/** The condition of a pod that is deleted, in the words of 1.32. */
const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

export class TaintEvictionController implements Controller {
  readonly #server: ControllerServer;
  readonly #nodes: Resource;
  readonly #nodePrefix: string;
  readonly #pods: PodsOfNodes;
  readonly #keys: ResourceKeys;
  readonly #events: EventRecorder;
  readonly #writer: ControllerWriter;
  readonly #queue: PodQueue;
  readonly #waiting = new WaitingPods();
  readonly #clock: Clock;

  constructor(server: ControllerServer, clock: Clock = PROCESS_CLOCK) {
    const nodes = server.registry.current.resource('', 'v1', 'nodes');
    if (nodes === undefined) throw new Error('--controllers: nodes are not served');
    this.#server = server;
    this.#nodes = nodes;
    this.#nodePrefix = storagePrefix(nodes, '');
    this.#pods = new PodsOfNodes(server);
    this.#keys = new ResourceKeys(server.registry);
    this.#events = new EventRecorder(server, COMPONENT);
    this.#writer = new ControllerWriter(server);
    this.#clock = clock;
    this.#queue = new PodQueue(this.#pods, {
      name: 'noexec_taint_pod',
      metrics: server.metrics,
      clock,
      workers: WORKERS,
      process: (key) => this.#sync(key),
      failed: (key, error) => server.log.warn({ key, err: error }, 'a pod could not be evicted from a tainted node'),
    });
  }

  /** Pods that wait already go when they were to go; what came to nodes that are known already is looked for as well. */
  async list(revision: number): Promise<void> {
    const untainted = new Set(this.#waiting.taintedNodes());
    for await (const slice of entrySlices(this.#server.storage, this.#nodePrefix, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) {
        const name = key.slice(this.#nodePrefix.length);
        if (this.#observe(name, value)) untainted.delete(name);
      }
    for (const name of untainted) this.#endTaints(name);
    for (const name of this.#waiting.taintedNodes()) {
      await turn();
      // Deletions that came before were not heard of.
      for (const key of this.#waiting.pods(name)) if (this.#server.storage.revisionOf(key) === undefined) this.#cancel(name, key);
      this.#queue.addNode(name);
    }
  }

  changed({ key, operation, value }: Change): void {
    if (key.startsWith(this.#nodePrefix)) {
      const name = key.slice(this.#nodePrefix.length);
      if (operation === 'delete') this.#waiting.lose(name);
      else if (!this.#observe(name, value)) this.#cancelAll(name);
    } else if (this.#waiting.any && key.startsWith(this.#pods.prefix)) {
      const node = this.#pods.nodeOf(value);
      if (operation === 'delete') this.#cancel(node, key);
      else if (this.#waiting.isTainted(node)) this.#queue.add(key);
    }
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
    await this.#events.stop();
  }

  /** @returns whether the node has taints that make pods go */
  #observe(name: string, value: Buffer): boolean {
    // Heartbeats of most nodes are seen through without being parsed.
    if (!value.includes('"NoExecute"')) return false;
    const taints = executingTaints(new StoredObject(value).parse());
    if (taints.length === 0) return false;
    if (this.#waiting.taint(name, JSON.stringify(taints))) this.#queue.addNode(name);
    return true;
  }

  async #sync(key: string): Promise<void> {
    const entry = this.#server.storage.get(key);
    const named = this.#keys.parse(key);
    if (entry === undefined || named === undefined) return;
    const node = this.#pods.nodeOf(entry.value);
    if (!this.#waiting.isTainted(node) && this.#waiting.left(node, key, this.#clock.now()) === undefined) return;
    const pod = await readParts(new StoredObject(entry.value), ['spec', 'status']);
    if (pod.metadata.deletionTimestamp !== undefined && this.#isMarked(pod)) return;
    const wait = this.#wait(node, key, this.#tolerated(node, pod));
    if (wait === Number.POSITIVE_INFINITY) return this.#cancel(node, key);
    if (wait > 0) return this.#queue.addAfter(key, Math.min(wait, LONGEST_WAIT));
    try {
      await this.#evict(named, pod);
    } catch (error) {
      // Another pod of that name is another matter: its own change leads to a look at it.
      if (this.#uidOf(key) !== pod.metadata.uid) return;
      this.#waiting.retry(node, key, this.#clock.now());
      throw error;
    }
  }

  /**
   * @param tolerated as of `#tolerated`
   * @returns milliseconds until a pod is to go; infinite: it need not
   */
  #wait(node: string, key: string, tolerated: number | undefined): number {
    const now = this.#clock.now();
    const left = this.#waiting.left(node, key, now);
    const stay = tolerated ?? left ?? Number.POSITIVE_INFINITY;
    if (stay === Number.POSITIVE_INFINITY) return stay;
    // As in 1.32, it is told first that one that waits need not go later.
    if (tolerated === 0 && left !== undefined && left > 0) this.#cancel(node, key);
    return this.#waiting.judge(node, key, stay, now);
  }

  #uidOf(key: string): string | undefined {
    const entry = this.#server.storage.get(key);
    return entry && new StoredObject(entry.value).parse().metadata.uid;
  }

  /** A node that was tainted has gone, or has no taints any more. */
  #endTaints(node: string): void {
    if (this.#server.storage.revisionOf(storageKey(this.#nodes, '', node)) === undefined) this.#waiting.lose(node);
    else this.#cancelAll(node);
  }

  /** No pod of the node has to go any more. */
  #cancelAll(node: string): void {
    for (const key of this.#waiting.untaint(node)) this.#tellCancelled(key);
  }

  #cancel(node: string, key: string): void {
    if (this.#waiting.cancel(node, key)) this.#tellCancelled(key);
  }

  #tellCancelled(key: string): void {
    const named = this.#keys.parse(key);
    if (named !== undefined) this.#tell(named, 'Cancelling deletion of Pod');
  }

  #tell({ namespace, name }: NamedObject, what: string): void {
    const message = `${what} ${namespace}/${name}`;
    this.#events.record({ subject: { kind: 'Pod', namespace, name }, type: 'Normal', reason: 'TaintManagerEviction', message });
  }

  /** Returns the milliseconds for which a pod tolerates the taints of a node, see `tolerated`; undefined where the node has gone. */
  #tolerated(node: string, { spec }: ApiObject): number | undefined {
    const entry = this.#server.storage.get(storageKey(this.#nodes, '', node));
    return entry && tolerated(executingTaints(new StoredObject(entry.value).parse()), spec?.tolerations ?? []);
  }

  /** @throws StatusError NotFound or Conflict where the pod is not there any longer */
  async #evict(named: NamedObject, pod: ApiObject): Promise<void> {
    const { uid } = pod.metadata;
    this.#tell(named, 'Marking for deletion Pod');
    const { hub } = await this.#writer.store(named.resource);
    const marked = (old: ApiObject): ApiObject => hub.decode(withCondition(old, DISRUPTED, Date.now())).object;
    if (!this.#isMarked(pod))
      await this.#writer.update(named, 'status', (old) => (old.metadata.uid === uid ? marked(old) : copyValue(old)));
    await this.#writer.delete(named, { preconditions: { uid: uid as string } });
  }

  /** Whether the pod says already why it goes, or need not in the release whose API is served. */
  #isMarked(pod: ApiObject): boolean {
    return hasCondition(pod, DISRUPTED) || !this.#server.featureEnabled('PodDisruptionConditions');
  }
}
