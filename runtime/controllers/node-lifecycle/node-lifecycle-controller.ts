/**
 * Watches over nodes (specification: Node Ready condition): says of one that is silent that nothing is known of it, and of its pods that they are
 * not ready; gives nodes the taints that their conditions ask for. Those that make pods go come at a rate.
 */

import { type Clock, PROCESS_CLOCK } from '../../client/work-queue/clock.ts';
import type { ApiObject } from '../../contract/object.ts';
import { RecurringFailures } from '../../observability/recurring-failures.ts';
import type { Resource } from '../../registry/resources/resource.ts';
import { storageKey, storagePrefix } from '../../registry/resources/resource-keys.ts';
import { StoredObject } from '../../registry/stored-objects/stored-object.ts';
import { copyValue } from '../../schema/copy.ts';
import { isNotFound } from '../../status/status.ts';
import type { Change } from '../../storage/storage.ts';
import type { Controller } from '../controller/controller.ts';
import type { ControllerServer } from '../controller/controller-server.ts';
import { entrySlices } from '../controller/entry-slices.ts';
import { WorkQueue } from '../controller/work-queue.ts';
import { PodsOfNodes } from '../pods-of-nodes/pods-of-nodes.ts';
import { ControllerWriter } from '../writes/controller-writer.ts';
import { EventRecorder } from '../writes/event-recorder.ts';
import { type GracePeriods, NodeHealth } from './node-health.ts';
import { type Execution, hasTaints, NodeTaints } from './node-taints.ts';
import { missingOlderLabels } from './older-labels.ts';
import { TaintQueues } from './taint-queues.ts';
import { withUnknownConditions } from './unknown-conditions.ts';
import { UnreadyPods } from './unready-pods.ts';
import { Disruption, type DisruptionSettings, type ZoneCount, zoneOf } from './zones.ts';

export interface NodeLifecycleSettings {
  /** milliseconds between two looks at all nodes */
  readonly period: number;
  readonly grace: GracePeriods;
  readonly disruption: DisruptionSettings;
}

/** Nodes that are written to at a time. */
const WORKERS = 8;
/** The source of events, as in 1.32. */
const COMPONENT = 'node-controller';
/** The number of objects that are examined in one turn while listing. */
const SLICE = 100;
/** The most milliseconds until the queues of taints are examined again, because timers cannot wait for much longer than days. */
const LONGEST_WAIT = 3_600_000;

/** A node as far as this controller remembers it. */
interface Known {
  readonly uid: string;
  readonly health: NodeHealth;
  zone: string;
  /** whether it says anything of its zone that it is not ready */
  counts: boolean;
  /** it has a taint that makes pods go */
  isTainted: boolean;
}

export class NodeLifecycleController implements Controller {
  readonly #server: ControllerServer;
  readonly #settings: NodeLifecycleSettings;
  readonly #caughtUp: () => Promise<void>;
  readonly #clock: Clock;
  readonly #resource: Resource;
  readonly #prefix: string;
  /** the prefix of the keys of nodes' leases; undefined if leases are not served */
  readonly #leases: string | undefined;
  readonly #excluding: string;
  readonly #pods: PodsOfNodes;
  readonly #taints: NodeTaints;
  readonly #queues: TaintQueues;
  readonly #disruption: Disruption;
  readonly #unready: UnreadyPods;
  readonly #events: EventRecorder;
  readonly #writer: ControllerWriter;
  readonly #writes: WorkQueue;
  /** the known nodes by their names */
  readonly #nodes = new Map<string, Known>();
  /** the changes of NoExecute taints that are still to be made, by the names of nodes */
  readonly #executions = new Map<string, Execution>();
  #cancelRound: (() => void) | undefined;
  /** when the round was to begin that follows the last one that heard all nodes, in milliseconds by the clock */
  #due = 0;
  #cancelTurn: (() => void) | undefined;
  #round: Promise<void> = Promise.resolve();
  readonly #failures = new RecurringFailures();
  #stopped = false;

  /** @param caughtUp resolves when `changed` has been called for all that the store holds at the time of the call */
  constructor(server: ControllerServer, settings: NodeLifecycleSettings, caughtUp: () => Promise<void>, clock: Clock = PROCESS_CLOCK) {
    const { registry, identity } = server;
    const resource = registry.current.resource('', 'v1', 'nodes');
    if (resource === undefined) throw new Error('--controllers: nodes are not served');
    const leases = registry.current.resource(identity.text('coordination.${groupDomain}'), 'v1', 'leases');
    this.#server = server;
    this.#settings = settings;
    this.#caughtUp = caughtUp;
    this.#clock = clock;
    this.#resource = resource;
    this.#prefix = storagePrefix(resource, '');
    this.#leases = leases && storagePrefix(leases, identity.text('${leaseNamespace}'));
    this.#excluding = identity.text('node.${labelDomain}/exclude-disruption');
    this.#pods = new PodsOfNodes(server);
    this.#taints = new NodeTaints(identity.text);
    this.#queues = new TaintQueues(settings.disruption.rate);
    this.#disruption = new Disruption(settings.disruption);
    this.#events = new EventRecorder(server, COMPONENT);
    this.#unready = new UnreadyPods(server, this.#pods, this.#events, (node) => this.#isUnready(node));
    this.#writer = new ControllerWriter(server);
    this.#writes = new WorkQueue({
      name: 'node_lifecycle_controller',
      metrics: server.metrics,
      workers: WORKERS,
      process: (name) => this.#write(name),
      failed: (node, error) => server.log.warn({ node, err: error }, 'taints of a node could not be written'),
    });
  }

  /** What is known of nodes that are still there stays: only what came meanwhile is taken in. */
  async list(revision: number): Promise<void> {
    const { storage } = this.#server;
    const gone = new Set(this.#nodes.keys());
    for await (const slice of entrySlices(storage, this.#prefix, { size: SLICE, atRevision: revision }))
      for (const { key, value } of slice) {
        const name = key.slice(this.#prefix.length);
        gone.delete(name);
        this.#observe(name, value);
        // Its pods may not have been marked when this ended, or were put on it since.
        if (this.#isUnready(name)) this.#unready.addNode(name);
      }
    for (const name of gone) this.#forget(name);
    if (this.#leases !== undefined)
      for await (const slice of entrySlices(storage, this.#leases, { size: SLICE, atRevision: revision }))
        for (const { key, value } of slice) this.#renew(key.slice(this.#leases.length), value);
    if (this.#cancelRound !== undefined) return;
    this.#due = this.#clock.now();
    this.#plan(0);
  }

  changed({ key, operation, value, previousValue }: Change): void {
    if (key.startsWith(this.#prefix)) {
      const name = key.slice(this.#prefix.length);
      if (operation === 'delete') this.#forget(name);
      else this.#observe(name, value);
    } else if (this.#leases !== undefined && key.startsWith(this.#leases)) {
      if (operation !== 'delete') this.#renew(key.slice(this.#leases.length), value);
    } else if (operation !== 'delete' && key.startsWith(this.#pods.prefix)) {
      const node = this.#pods.nodeOf(value);
      if (this.#isUnready(node) && (previousValue === undefined || this.#pods.nodeOf(previousValue) !== node)) this.#unready.add(key);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelRound?.();
    this.#cancelTurn?.();
    this.#writer.stop();
    await this.#round;
    await Promise.all([this.#writes.stop(), this.#unready.stop()]);
    await this.#events.stop();
  }

  #isUnready(name: string): boolean {
    const status = this.#nodes.get(name)?.health.status;
    return status !== undefined && status !== 'True';
  }

  #observe(name: string, value: Buffer): void {
    const node = new StoredObject(value).parse();
    const now = this.#clock.now();
    const zone = zoneOf(node, this.#server.identity.text);
    let known = this.#nodes.get(name);
    if (known === undefined) {
      const age = Date.now() - Date.parse(node.metadata.creationTimestamp ?? '');
      const health = new NodeHealth(node, this.#settings.grace, now, Number.isNaN(age) ? 0 : age);
      known = { uid: node.metadata.uid ?? '', health, zone, counts: true, isTainted: false };
      this.#nodes.set(name, known);
      this.#tell(name, known, 'RegisteredNode', `event: Registered Node ${name} in Controller`);
    } else known.health.observe(node, now);
    if (zone !== known.zone) this.#queues.remove(known.zone, name);
    known.zone = zone;
    known.counts = !Object.hasOwn(node.metadata.labels ?? {}, this.#excluding);
    known.isTainted = this.#taints.executes(node);
    if (known.isTainted || known.health.status === 'True') this.#queues.remove(zone, name);
    if (this.#changedNode(node, 'keep') !== undefined) this.#writes.add(name);
  }

  #renew(name: string, value: Buffer): void {
    const health = this.#nodes.get(name)?.health;
    if (health !== undefined) health.renew(new StoredObject(value).parse().spec?.renewTime, this.#clock.now());
  }

  #forget(name: string): void {
    const known = this.#nodes.get(name);
    if (known === undefined) return;
    this.#queues.remove(known.zone, name);
    this.#nodes.delete(name);
    this.#executions.delete(name);
    this.#tell(name, known, 'RemovingNode', `event: Removing Node ${name} from Controller`);
  }

  #tell(name: string, { uid }: Known, reason: string, what: string): void {
    this.#events.record({ subject: { kind: 'Node', namespace: '', name, uid }, type: 'Normal', reason, message: `Node ${name} ${what}` });
  }

  #plan(wait: number): void {
    if (!this.#stopped) this.#cancelRound = this.#clock.after(wait, () => this.#beginRound());
  }

  #beginRound(): void {
    this.#round = this.#hear()
      .then(() => this.#look())
      .then(
        () => this.#failures.succeeded('round'),
        (error) => {
          if (!this.#stopped && this.#failures.isNew('round', error))
            this.#server.log.error({ err: error }, 'nodes could not be looked at; it is tried again');
        },
      )
      .finally(() => this.#plan(this.#settings.period));
  }

  /**
   * Resolves when all is heard that nodes have said. They are excused for time in which they could say nothing, because this process stood still or
   * the store took no writes. @throws StorageFull: they can say nothing yet
   */
  async #hear(): Promise<void> {
    await this.#server.storage.probe();
    await this.#caughtUp();
    const now = this.#clock.now();
    for (const { health } of this.#nodes.values()) health.excuse(Math.max(0, now - this.#due), now);
    this.#due = now + this.#settings.period;
  }

  /** One look at all nodes. As in 1.32 a node that has fallen silent waits for a taint from the next one on. */
  async #look(): Promise<void> {
    const lost = new Map<string, string | undefined>();
    for (const [name, { health }] of this.#nodes) if (health.isLost(this.#clock.now())) lost.set(name, health.status);
    const failed = await this.#markLost([...lost.keys()]);
    const now = this.#clock.now();
    const zones = new Map<string, ZoneCount>();
    for (const [name, known] of this.#nodes) {
      if (failed.has(name)) continue;
      if (known.counts) count(zones, known);
      if (!this.#isUnready(name)) continue;
      if (lost.get(name) === 'True') this.#fell(name, known);
      else this.#await(name, known, now);
    }
    const { rates, begins, ends } = this.#disruption.judge(zones);
    this.#queues.setRates(rates, now);
    if (begins) this.#beginDisruption();
    if (ends) for (const { health } of this.#nodes.values()) health.beginAnew(now);
    this.#taintNext();
  }

  /** @returns names of those whose conditions could not be written; another round follows */
  async #markLost(names: readonly string[]): Promise<ReadonlySet<string>> {
    const failed = new Set<string>();
    const left = names.values();
    const work = async (): Promise<void> => {
      for (const name of left) {
        if (this.#stopped) return;
        try {
          await this.#markUnknown(name);
        } catch (error) {
          failed.add(name);
          if (!isNotFound(error)) this.#server.log.warn({ node: name, err: error }, 'conditions of a silent node could not be written');
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(WORKERS, names.length) }, work));
    return failed;
  }

  async #markUnknown(name: string): Promise<void> {
    const { storage, identity } = this.#server;
    // It may have said something that this has not heard of yet, by its lease or by its status.
    const lease = this.#leases && storage.get(this.#leases + name);
    if (lease) this.#renew(name, lease.value);
    const { object } = await this.#writer.update({ resource: this.#resource, namespace: '', name }, 'status', (old) => {
      const health = this.#nodes.get(name)?.health;
      health?.observe(old, this.#clock.now());
      return health?.isLost(this.#clock.now()) === true ? withUnknownConditions(old, identity.text, Date.now()) : copyValue(old);
    });
    this.#nodes.get(name)?.health.observe(object, this.#clock.now());
  }

  #fell(name: string, known: Known): void {
    this.#tell(name, known, 'NodeNotReady', 'status is now: NodeNotReady');
    this.#unready.addNode(name);
  }

  /** The node waits for the taint that makes its pods go. */
  #await(name: string, { health, zone, isTainted }: Known, now: number): void {
    if (isTainted || this.#executions.has(name)) return;
    if (this.#server.identity.evictsAfterGracePeriod && health.unchangedFor(now) <= this.#settings.grace.usual) return;
    this.#queues.add(zone, name);
  }

  /** Nobody's pods have to go any more. */
  #beginDisruption(): void {
    this.#server.log.warn({ nodes: this.#nodes.size }, 'no node is ready: pods stay where they are');
    for (const [name, { zone, isTainted }] of this.#nodes) {
      this.#queues.remove(zone, name);
      if (isTainted || this.#executions.has(name)) this.#execute(name, 'remove');
    }
  }

  #taintNext(): void {
    if (this.#stopped) return;
    const now = this.#clock.now();
    for (const name of this.#queues.take(now)) this.#execute(name, 'add');
    this.#cancelTurn?.();
    const wait = this.#queues.wait(now);
    if (wait < Number.POSITIVE_INFINITY)
      this.#cancelTurn = this.#clock.after(Math.min(LONGEST_WAIT, Math.ceil(wait)), () => this.#taintNext());
  }

  #execute(name: string, execution: Execution): void {
    this.#executions.set(name, execution);
    this.#writes.add(name);
  }

  /** @returns a copy with the taints and labels that the node is to have; undefined where it has them */
  #changedNode(node: ApiObject, execution: Execution): ApiObject | undefined {
    const taints = this.#taints.wanted(node, execution, Date.now());
    const labels = missingOlderLabels(node, this.#server.identity.text);
    const lacksLabels = Object.keys(labels).length > 0;
    if (hasTaints(node, taints) && !lacksLabels) return undefined;
    const object = copyValue(node);
    object.spec = { ...object.spec, taints };
    if (taints.length === 0) delete object.spec.taints;
    if (lacksLabels) object.metadata.labels = { ...object.metadata.labels, ...labels };
    return object;
  }

  async #write(name: string): Promise<void> {
    const execution = this.#executions.get(name) ?? 'keep';
    const change = (old: ApiObject): ApiObject | undefined => this.#changedNode(old, execution);
    const entry = this.#server.storage.get(storageKey(this.#resource, '', name));
    if (entry !== undefined && change(new StoredObject(entry.value).parse()) !== undefined)
      try {
        await this.#writer.update({ resource: this.#resource, namespace: '', name }, 'object', (old) => change(old) ?? copyValue(old));
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    if (this.#executions.get(name) === execution) this.#executions.delete(name);
  }
}

function count(zones: Map<string, ZoneCount>, { health, zone }: Known): void {
  const { ready = 0, unready = 0 } = zones.get(zone) ?? {};
  zones.set(zone, health.status === 'True' ? { ready: ready + 1, unready } : { ready, unready: unready + 1 });
}
