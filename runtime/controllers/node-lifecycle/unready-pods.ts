/** Says of pods on nodes that are not ready that they are not, either. */
import type { ApiObject } from '../../contract/object.ts';
import { ResourceKeys } from '../../registry/resources/resource-keys.ts';
import { readParts } from '../../registry/stored-objects/sliced-reading.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound } from '../../status/status.ts';
import { type Condition, withCondition } from '../conditions/conditions.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { PodQueue } from '../pods-of-nodes/pod-queue.ts';
import type { PodsOfNodes } from '../pods-of-nodes/pods-of-nodes.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import type { EventRecorder } from '../writes/event-recorder.ts';

/** Pods whose statuses are written at a time. */
const WORKERS = 4;

export class UnreadyPods {
  readonly #server: ControllerServer;
  readonly #pods: PodsOfNodes;
  readonly #events: EventRecorder;
  readonly #isUnready: (node: string) => boolean;
  readonly #keys: ResourceKeys;
  readonly #writer: ControllerWriter;
  readonly #queue: PodQueue;

  /** @param isUnready whether a node is there, and known not to be ready */
  constructor(server: ControllerServer, pods: PodsOfNodes, events: EventRecorder, isUnready: (node: string) => boolean) {
    this.#server = server;
    this.#pods = pods;
    this.#events = events;
    this.#isUnready = isUnready;
    this.#keys = new ResourceKeys(server.registry);
    this.#writer = new ControllerWriter(server);
    this.#queue = new PodQueue(pods, {
      name: 'node_lifecycle_controller_pods',
      metrics: server.metrics,
      workers: WORKERS,
      process: (key) => this.#sync(key),
      failed: (key, error) => server.log.warn({ key, err: error }, 'pods of a node that is not ready could not be marked'),
    });
  }

  addNode(node: string): void {
    this.#queue.addNode(node);
  }

  /** @param key of a pod */
  add(key: string): void {
    this.#queue.add(key);
  }

  async stop(): Promise<void> {
    this.#writer.stop();
    await this.#queue.stop();
  }

  async #sync(key: string): Promise<void> {
    const entry = this.#server.storage.get(key);
    const named = this.#keys.parse(key);
    if (entry === undefined || named === undefined) return;
    const node = this.#pods.nodeOf(entry.value);
    if (!this.#isUnready(node) || readyPod(await readParts(new StoredObject(entry.value), ['status'])) === undefined) return;
    const unready = (old: ApiObject): ApiObject => {
      const ready = old.spec?.nodeName === node ? readyPod(old) : undefined;
      return ready === undefined ? copyValue(old) : withCondition(old, { ...ready, status: 'False' }, Date.now());
    };
    try {
      const { outcome, object } = await this.#writer.update(named, 'status', unready);
      if (outcome === 'updated') this.#tell(object);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #tell({ metadata: { namespace = '', name = '', uid = '' } }: ApiObject): void {
    const subject = { kind: 'Pod', namespace, name, uid };
    this.#events.record({ subject, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
  }
}

/** The condition Ready where it says anything else than that the pod is not; reason and message stay, as in 1.32. */
function readyPod({ status }: ApiObject): Condition | undefined {
  return ((status?.conditions ?? []) as Condition[]).find((condition) => condition.type === 'Ready' && condition.status !== 'False');
}
