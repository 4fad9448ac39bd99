/**
 * Deletes pods from nodes with NoExecute taints that they do not tolerate, at once or when the time is over for which they do. Times are those of this
 * process: they begin when it learns of the taint.
 */
import type { ApiObject } from '../../contract/object.ts';
import type { ApiServer } from '../../endpoints/api-server.ts';
import type { Resource } from '../../registry/registry.ts';
import { type NamedObject, ResourceKeys, storageKey, storagePrefix } from '../../registry/resource-keys.ts';
import { StoredObject } from '../../registry/stored-object.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import { hasCondition, withCondition } from '../conditions.ts';
import type { Controller } from '../controller.ts';
import { ControllerWriter } from '../controller-writer.ts';
import { entrySlices } from '../entry-slices.ts';
import { EventRecorder } from '../event-recorder.ts';
import { PodsOfNodes } from '../pods-of-nodes.ts';
import { WorkQueue } from '../work-queue.ts';
import { executingTaints, tolerated } from './tolerations.ts';

const WORKERS = 8;
/** Nodes looked at in one turn while listing. */
const SLICE = 100;
/** Milliseconds after which a pod that tolerates for long is looked at again. */
const LONGEST_WAIT = 3_600_000;
/** Before the name of a node whose pods are looked for; no key begins so. */
const NODE = '/';

/** Whose doings events are. */
const COMPONENT = 'taint-eviction-controller';

/** In the words of 1.32. */
const DISRUPTED = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
} as const;

export class TaintEvictionController implements Controller {
  readonly #server: ApiServer;
  readonly #nodes: Resource;
  readonly #nodePrefix: string;
  readonly #pods: PodsOfNodes;
  readonly #keys: ResourceKeys;
  readonly #events: EventRecorder;
  readonly #writer: ControllerWriter;
  readonly #queue: WorkQueue;
  /** of each node with such taints, when its pods that wait are to go: milliseconds by `performance.now()`, by keys of the pods */
  readonly #due = new Map<string, Map<string, number>>();

  constructor(server: ApiServer) {
    const nodes = server.registry.resource('', 'v1', 'nodes');
    if (nodes === undefined) throw new Error('--controllers: nodes are not served');
    this.#server = server;
    this.#nodes = nodes;
    this.#nodePrefix = storagePrefix(nodes, '');
    this.#pods = new PodsOfNodes(server);
    this.#keys = new ResourceKeys(server.registry);
    this.#events = new EventRecorder(server, COMPONENT);
    this.#writer = new ControllerWriter(server);
    this.#queue = new WorkQueue({
      workers: WORKERS,
      process: (key) => (key.startsWith(NODE) ? this.#addPodsOf(key.slice(NODE.length)) : this.#sync(key)),
      failed: (key, error) => server.log.warn({ key, err: error }, 'a pod could not be evicted from a tainted node'),
    });
  }

  /** Pods that wait already go when they were to go. */
  async list(revision: number): Promise<void> {
    const untainted = new Set(this.#due.keys());
    for await (const slice of entrySlices(this.#server.storage, this.#nodePrefix, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) {
        const name = key.slice(this.#nodePrefix.length);
        if (this.#observe(name, value)) untainted.delete(name);
      }
    for (const name of untainted) this.#cancelAll(name);
  }

  changed({ key, operation, value }: Change): void {
    if (key.startsWith(this.#nodePrefix)) {
      const name = key.slice(this.#nodePrefix.length);
      if (operation === 'delete' || !this.#observe(name, value)) this.#cancelAll(name);
    } else if (this.#due.size > 0 && key.startsWith(this.#pods.prefix)) {
      const waiting = this.#due.get(this.#pods.nodeOf(value));
      if (operation === 'delete') this.#cancel(waiting, key);
      else if (waiting !== undefined) this.#queue.add(key);
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
    if (executingTaints(new StoredObject(value).parse()).length === 0) return false;
    if (!this.#due.has(name)) this.#due.set(name, new Map());
    this.#queue.add(NODE + name);
    return true;
  }

  async #addPodsOf(node: string): Promise<void> {
    for (const key of await this.#pods.keys(node)) this.#queue.add(key);
    // Deletions that came before a new listing were not heard of.
    const waiting = this.#due.get(node);
    for (const key of waiting?.keys() ?? []) if (this.#server.storage.revisionOf(key) === undefined) this.#cancel(waiting, key);
  }

  async #sync(key: string): Promise<void> {
    const entry = this.#server.storage.get(key);
    const named = this.#keys.parse(key);
    if (entry === undefined || named === undefined) return;
    const node = this.#pods.nodeOf(entry.value);
    const waiting = this.#due.get(node);
    if (waiting === undefined) return;
    const pod = new StoredObject(entry.value).parse();
    if (pod.metadata.deletionTimestamp !== undefined && hasCondition(pod, DISRUPTED)) return;
    const time = this.#tolerated(node, pod);
    if (time === Number.POSITIVE_INFINITY) return this.#cancel(waiting, key);
    const now = performance.now();
    // What asks for it later, after it was begun, does not put it off.
    const due = Math.min(waiting.get(key) ?? Number.POSITIVE_INFINITY, now + time);
    if (due > now) {
      waiting.set(key, due);
      return this.#queue.addAfter(key, Math.min(due - now, LONGEST_WAIT));
    }
    // It waits no longer: its end, which may come at once, cancels nothing.
    waiting.delete(key);
    try {
      await this.#evict(named, pod);
    } catch (error) {
      waiting.set(key, due);
      throw error;
    }
  }

  /** No pod of the node has to go any more. */
  #cancelAll(node: string): void {
    const waiting = this.#due.get(node);
    this.#due.delete(node);
    for (const key of waiting?.keys() ?? []) this.#cancel(waiting, key);
  }

  #cancel(waiting: Map<string, number> | undefined, key: string): void {
    const named = waiting?.delete(key) === true ? this.#keys.parse(key) : undefined;
    if (named !== undefined) this.#tell(named, 'Cancelling deletion of Pod');
  }

  #tell({ namespace, name }: NamedObject, what: string): void {
    const message = `${what} ${namespace}/${name}`;
    this.#events.record({ subject: { kind: 'Pod', namespace, name }, type: 'Normal', reason: 'TaintManagerEviction', message });
  }

  /** Milliseconds; see `tolerated`. */
  #tolerated(node: string, { spec }: ApiObject): number {
    const entry = this.#server.storage.get(storageKey(this.#nodes, '', node));
    const taints = entry === undefined ? [] : executingTaints(new StoredObject(entry.value).parse());
    return tolerated(taints, spec?.tolerations ?? []);
  }

  async #evict(named: NamedObject, pod: ApiObject): Promise<void> {
    const { uid } = pod.metadata;
    this.#tell(named, 'Marking for deletion Pod');
    try {
      const { hub } = await this.#writer.store(named.resource);
      const marked = (old: ApiObject): ApiObject => hub.decode(withCondition(old, DISRUPTED, Date.now())).object;
      if (!hasCondition(pod, DISRUPTED))
        await this.#writer.update(named, 'status', (old) => (old.metadata.uid === uid ? marked(old) : copyValue(old)));
      await this.#writer.delete(named, { preconditions: { uid: uid as string } });
    } catch (error) {
      // Another pod of that name is a conflict: it is looked at anew.
      if (!isNotFound(error)) throw error;
    }
  }
}
