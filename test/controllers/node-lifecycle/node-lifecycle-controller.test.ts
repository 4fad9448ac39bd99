/** Nodes that fall silent, come back, or never said anything, and their pods. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { ChangeFollower } from '../../../runtime/controllers/controller/change-follower.ts';
import {
  NodeLifecycleController,
  type NodeLifecycleSettings,
} from '../../../runtime/controllers/node-lifecycle/node-lifecycle-controller.ts';
import { StorageFull } from '../../../runtime/storage/errors.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';

/** Milliseconds; more than any test passes. */
const LONG = 10_000_000;
const PERIOD = 5_000;
/** Eight periods. */
const GRACE = 40_000;
const DEFAULTS: NodeLifecycleSettings = {
  ...SETTINGS.nodeLifecycle,
  period: PERIOD,
  grace: { usual: LONG, startup: LONG },
};

/** A cluster of one test's own, what its nodes say, and a controller of which the test counts the rounds. */
class NodesUnderTest {
  readonly cluster: TestCluster;
  readonly clock = new TestClock();
  readonly #settings: NodeLifecycleSettings;
  readonly #leases: string;
  readonly #speaking = new Set<string>();
  #renewals = 0;
  #controller: NodeLifecycleController | undefined;
  #follower: ChangeFollower | undefined;

  private constructor(cluster: TestCluster, settings: NodeLifecycleSettings) {
    this.cluster = cluster;
    this.#settings = settings;
    this.#leases = cluster.server.identity.text('${leaseNamespace}');
  }

  static async create(settings: Partial<NodeLifecycleSettings>, dialect: Dialect = 'kubernetes'): Promise<NodesUnderTest> {
    return new NodesUnderTest(await TestCluster.create({ dialect }), { ...DEFAULTS, ...settings });
  }

  /** Resolves after the first round. */
  async start(): Promise<void> {
    const { server } = this.cluster;
    const caughtUp = async (): Promise<void> => void (await this.#follower?.caughtUp());
    const controller = new NodeLifecycleController(server, this.#settings, caughtUp, this.clock);
    this.#controller = controller;
    const revision = server.storage.currentRevision();
    await controller.list(revision);
    const failed = (error: unknown): void => console.error(error);
    this.#follower = new ChangeFollower(server.storage, [controller], { lost: failed, failed });
    this.#follower.start(revision);
    await this.roundIn(() => this.clock.advance(0));
  }

  /** Lists again, as when changes were missed. */
  async relist(): Promise<void> {
    await this.#controller?.list(this.cluster.server.storage.currentRevision());
  }

  /** From then on it hears of nothing. */
  deafen(): void {
    this.#follower?.stop();
  }

  async stop(): Promise<void> {
    this.#follower?.stop();
    await this.#controller?.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.cluster.remove();
  }

  /** Resolves after the round that begins in `act`. */
  async roundIn(act: () => unknown): Promise<void> {
    const planned = (): number => this.clock.asked.filter((delay) => delay === PERIOD).length;
    const before = planned();
    await act();
    await eventually(
      () => planned() > before,
      () => 'the round does not end',
    );
  }

  /** So many rounds, each after the usual time and after what nodes say that speak. */
  async rounds(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      for (const name of this.#speaking) await this.renew(name);
      await this.roundIn(() => this.clock.advance(PERIOD));
    }
  }

  node(name: string): ApiObject {
    return this.cluster.server.objects.get('nodes', '', name) as ApiObject;
  }

  /** Status and reason of its condition. */
  condition(name: string, type = 'Ready'): string {
    const found = (this.node(name).status?.conditions ?? []).find((each: { type: string }) => each.type === type);
    return found === undefined ? '' : `${found.status} ${found.reason}`;
  }

  /** Without the domain, in the order in which they are there. */
  taints(name: string): string {
    const taints: { key: string; effect: string }[] = this.node(name).spec?.taints ?? [];
    return taints.map(({ key, effect }) => `${key.slice(key.indexOf('/') + 1)}:${effect}`).join(' ');
  }

  create(name: string, members: object = {}): Promise<ApiObject> {
    return this.cluster.create('v1', 'nodes', { metadata: { name }, ...members });
  }

  /** What an agent says once. */
  say(name: string, status: 'True' | 'False'): Promise<ApiObject> {
    return this.cluster.edit(
      'v1',
      'nodes',
      { name },
      (node) => {
        const conditions = (node.status?.conditions ?? []).filter(({ type }: { type: string }) => type !== 'Ready');
        // as no agent has said it before
        const lastHeartbeatTime = new Date(Number(node.metadata.resourceVersion) * 1_000).toISOString().replace('.000', '');
        node.status = { ...node.status, conditions: [...conditions, { type: 'Ready', status, reason: 'Agent', lastHeartbeatTime }] };
      },
      'status',
    );
  }

  /** A node that is ready, and has a lease. */
  async leased(name: string): Promise<void> {
    await this.create(name);
    await this.say(name, 'True');
    const metadata = { namespace: this.#leases, name };
    await this.cluster.create(this.#leaseVersion(), 'leases', { metadata, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
  }

  /** The same with an agent that renews it before each round. */
  async speaking(name: string): Promise<void> {
    await this.leased(name);
    this.#speaking.add(name);
  }

  renew(name: string): Promise<ApiObject> {
    const renewTime = new Date(++this.#renewals * 1_000).toISOString().replace('Z', '000Z');
    return this.cluster.edit(this.#leaseVersion(), 'leases', { namespace: this.#leases, name }, ({ spec }) => {
      spec.renewTime = renewTime;
    });
  }

  #leaseVersion = (): string => this.cluster.server.identity.text('coordination.${groupDomain}/v1');

  pod(name: string, nodeName: string, ready = 'True'): Promise<ApiObject> {
    return this.cluster
      .create('v1', 'pods', { metadata: { name, namespace: 'n' }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } })
      .then(() =>
        this.cluster.edit(
          'v1',
          'pods',
          { namespace: 'n', name },
          (pod) => {
            pod.status.conditions = [{ type: 'Ready', status: ready, reason: 'Mine' }];
          },
          'prepared',
        ),
      );
  }

  readyOf(pod: string): string {
    const conditions = this.cluster.server.objects.get('pods', 'n', pod)?.status?.conditions ?? [];
    return conditions
      .map(({ type, status, reason }: { type: string; status: string; reason: string }) => `${type} ${status} ${reason}`)
      .join();
  }

  /** What events say, without repetition. */
  told(): string[] {
    const events = this.cluster.objects('events/');
    const said = events.map(({ involvedObject, type, reason, message }) => `${involvedObject.kind} ${type} ${reason}: ${message}`);
    return [...new Set(said)].sort();
  }

  becomes = (what: () => string, wanted: string): Promise<void> =>
    eventually(
      () => what() === wanted,
      () => `${what()}, not ${wanted}`,
    );
}

const test = suite('node lifecycle');

let nodes: NodesUnderTest;
test.after.each(() => nodes.remove());

test('a node that falls silent: its conditions, its taints, its pods; and all is well again when it speaks', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: GRACE, startup: LONG } });
  await nodes.speaking('alive');
  await nodes.create('silent');
  await nodes.say('silent', 'True');
  for (const [name, node] of [
    ['here', 'alive'],
    ['there', 'silent'],
  ] as const)
    await nodes.pod(name, node);
  await nodes.start();
  await nodes.rounds(GRACE / PERIOD);
  assert.is(nodes.condition('silent'), 'True Agent');
  await nodes.rounds(1);
  assert.is(nodes.condition('silent'), 'Unknown NodeStatusUnknown');
  assert.is(nodes.condition('silent', 'DiskPressure'), 'Unknown NodeStatusNeverUpdated');
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule');
  await nodes.rounds(1);
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule unreachable:NoExecute');
  assert.ok(nodes.node('silent').spec.taints.every(({ timeAdded }: { timeAdded?: string }) => timeAdded !== undefined));
  await nodes.becomes(() => nodes.readyOf('there'), 'Ready False Mine');
  await nodes.rounds(2 * (GRACE / PERIOD));
  assert.is(nodes.condition('alive'), 'True Agent');
  assert.is(nodes.readyOf('here'), 'Ready True Mine');
  await nodes.pod('late', '');
  await nodes.cluster.edit(
    'v1',
    'pods',
    { namespace: 'n', name: 'late' },
    ({ spec }) => {
      spec.nodeName = 'silent';
    },
    'prepared',
  );
  await nodes.becomes(() => nodes.readyOf('late'), 'Ready False Mine');
  await nodes.say('silent', 'False');
  await nodes.becomes(() => nodes.taints('silent'), 'not-ready:NoSchedule not-ready:NoExecute');
  await nodes.say('silent', 'True');
  await nodes.becomes(() => nodes.taints('silent'), '');
  const told = nodes.told();
  for (const message of [
    'Node Normal RegisteredNode: Node silent event: Registered Node silent in Controller',
    'Node Normal NodeNotReady: Node silent status is now: NodeNotReady',
    'Pod Warning NodeNotReady: Node is not ready',
  ])
    assert.ok(told.includes(message), told.join('\n'));
  await nodes.cluster.delete('v1', 'nodes', { name: 'silent' });
  const gone = 'Node Normal RemovingNode: Node silent event: Removing Node silent from Controller';
  await eventually(
    () => nodes.told().includes(gone),
    () => nodes.told().join('\n'),
  );
});

test('a node that never said anything; conditions of others are left alone', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: LONG, startup: GRACE } });
  await nodes.create('mute');
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  await nodes.start();
  // one more than needed: it has been there for longer than this controller
  await nodes.rounds(GRACE / PERIOD + 2);
  assert.is(nodes.condition('mute'), 'Unknown NodeStatusNeverUpdated');
  await nodes.becomes(() => nodes.taints('mute'), 'unreachable:NoSchedule unreachable:NoExecute');
  assert.is(nodes.condition('ready'), 'True Agent');
  assert.is(nodes.taints('ready'), '');
});

test('as the specification has it, pods have the grace period once more before they are told to go', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: GRACE, startup: LONG } }, 'cluster');
  await nodes.speaking('ready');
  await nodes.leased('silent');
  await nodes.start();
  await nodes.rounds(GRACE / PERIOD + 1);
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule');
  assert.is(nodes.node('silent').spec.taints[0].key, 'node.cluster.io/unreachable');
  await nodes.rounds(GRACE / PERIOD);
  assert.is(nodes.taints('silent'), 'unreachable:NoSchedule');
  await nodes.rounds(1);
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule unreachable:NoExecute');
});

/** Ten minutes in which no node can say anything. */
const DEAF = 600_000;
const deaf: [name: string, passes: (nodes: NodesUnderTest) => Promise<unknown>][] = [
  ['this process stood still', (tested) => tested.roundIn(() => tested.clock.skip(DEAF))],
  [
    'the disk took no writes',
    async (tested) => {
      const { storage } = tested.cluster.server;
      const { probe } = storage;
      await tested.roundIn(async () => {
        const disk = Promise.withResolvers<void>();
        storage.probe = () => disk.promise.then(() => probe.call(storage));
        tested.clock.advance(PERIOD);
        tested.clock.advance(DEAF - PERIOD);
        // it has waited for the disk as well, and is the first of the two to be written
        await tested.renew('patient');
        disk.resolve();
      });
      storage.probe = probe;
    },
  ],
  [
    'the store was full',
    async (tested) => {
      const { storage, log } = tested.cluster.server;
      const { probe } = storage;
      const said: string[] = [];
      log.error = (_about: object, message: string) => said.push(message);
      storage.probe = async () => {
        throw new StorageFull('the store is full');
      };
      await tested.rounds(DEAF / PERIOD - 1);
      storage.probe = probe;
      await tested.rounds(1);
      assert.equal(said, ['nodes could not be looked at; it is tried again']);
    },
  ],
];
for (const [name, passes] of deaf)
  test(`nodes are excused for the time in which ${name}`, async () => {
    nodes = await NodesUnderTest.create({ grace: { usual: GRACE, startup: LONG } });
    for (const each of ['silent', 'patient']) await nodes.leased(each);
    await nodes.start();
    await nodes.rounds(GRACE / PERIOD - 1);
    await nodes.renew('patient');
    await passes(nodes);
    assert.is(nodes.condition('silent'), 'True Agent');
    await nodes.rounds(1);
    assert.is(nodes.condition('silent'), 'Unknown NodeStatusUnknown');
    assert.is(nodes.condition('patient'), 'True Agent');
  });

test('a node that says that it is not ready is tainted at its turn; at no rate it never is', async () => {
  for (const [rate, taints] of [
    [1_000, 'not-ready:NoSchedule not-ready:NoExecute'],
    [0, 'not-ready:NoSchedule'],
  ] as const) {
    nodes = await NodesUnderTest.create({ disruption: { ...SETTINGS.nodeLifecycle.disruption, rate } });
    await nodes.create('ready');
    await nodes.say('ready', 'True');
    await nodes.create('unready');
    await nodes.say('unready', 'False');
    await nodes.start();
    await nodes.becomes(() => nodes.taints('unready'), taints);
    await nodes.rounds(10);
    assert.is(nodes.taints('unready'), taints);
    if (rate > 0) await nodes.remove();
  }
});

test('when no node is ready, no pod has to go; when one is again, those of the others have', async () => {
  nodes = await NodesUnderTest.create({});
  const taints = ['not-ready:NoSchedule', 'not-ready:NoExecute'].map((each) => {
    const [key, effect] = each.split(':');
    return { key: `node.kubernetes.io/${key}`, effect };
  });
  for (const name of ['one', 'two']) {
    await nodes.create(name, { spec: { taints } });
    await nodes.say(name, 'False');
  }
  await nodes.start();
  for (const name of ['one', 'two']) await nodes.becomes(() => nodes.taints(name), 'not-ready:NoSchedule');
  await nodes.rounds(10);
  assert.is(nodes.taints('two'), 'not-ready:NoSchedule');
  await nodes.say('one', 'True');
  // in the second its turn has come
  await nodes.rounds(2);
  await nodes.becomes(() => nodes.taints('one'), '');
  await nodes.becomes(() => nodes.taints('two'), 'not-ready:NoSchedule not-ready:NoExecute');
});

test('a node that says nothing of its zone does not make it ready', async () => {
  nodes = await NodesUnderTest.create({});
  await nodes.create('ready', { metadata: { name: 'ready', labels: { 'node.kubernetes.io/exclude-disruption': '' } } });
  await nodes.say('ready', 'True');
  await nodes.create('unready');
  await nodes.say('unready', 'False');
  await nodes.start();
  await nodes.becomes(() => nodes.taints('unready'), 'not-ready:NoSchedule');
  await nodes.rounds(10);
  assert.is(nodes.taints('unready'), 'not-ready:NoSchedule');
});

test('of the nodes of a zone one is tainted at once, and the next one at its rate', async () => {
  nodes = await NodesUnderTest.create({ disruption: { ...SETTINGS.nodeLifecycle.disruption, rate: 0.01 } });
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  for (const name of ['a', 'b']) {
    await nodes.create(name, { metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z' } } });
    await nodes.say(name, 'False');
  }
  await nodes.start();
  await nodes.becomes(() => nodes.taints('a'), 'not-ready:NoSchedule not-ready:NoExecute');
  await nodes.rounds(10);
  assert.is(nodes.taints('b'), 'not-ready:NoSchedule');
  // in another zone it does not have to wait
  await nodes.cluster.edit('v1', 'nodes', { name: 'b' }, ({ metadata }) => {
    metadata.labels = { 'topology.kubernetes.io/zone': 'y' };
  });
  await nodes.rounds(1);
  await nodes.becomes(() => nodes.taints('b'), 'not-ready:NoSchedule not-ready:NoExecute');
});

test('the next node of a zone is tainted when it is its turn', async () => {
  nodes = await NodesUnderTest.create({ disruption: { ...SETTINGS.nodeLifecycle.disruption, rate: 0.01 } });
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  for (const name of ['a', 'b']) {
    await nodes.create(name);
    await nodes.say(name, 'False');
  }
  await nodes.start();
  await nodes.becomes(() => nodes.taints('a'), 'not-ready:NoSchedule not-ready:NoExecute');
  await nodes.rounds(100_000 / PERIOD - 1);
  assert.is(nodes.taints('b'), 'not-ready:NoSchedule');
  await nodes.rounds(1);
  await nodes.becomes(() => nodes.taints('b'), 'not-ready:NoSchedule not-ready:NoExecute');
});

test('what went unheard between two listings', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: GRACE, startup: LONG } });
  for (const name of ['gone', 'silent']) await nodes.leased(name);
  await nodes.start();
  nodes.deafen();
  await nodes.cluster.delete('v1', 'nodes', { name: 'gone' });
  await nodes.rounds(GRACE / PERIOD + 1);
  assert.is(nodes.condition('silent'), 'Unknown NodeStatusUnknown');
  await nodes.relist();
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule');
  const told = 'Node Normal RemovingNode: Node gone event: Removing Node gone from Controller';
  await eventually(
    () => nodes.told().includes(told),
    () => nodes.told().join('\n'),
  );
});

test('what was not done before a restart is done after it, and taints that are there stay', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: GRACE, startup: LONG } });
  await nodes.speaking('ready');
  await nodes.leased('silent');
  await nodes.start();
  await nodes.rounds(GRACE / PERIOD + 2);
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule unreachable:NoExecute');
  const { taints } = nodes.node('silent').spec;
  await nodes.stop();
  await nodes.pod('left', 'silent');
  await nodes.start();
  await nodes.becomes(() => nodes.readyOf('left'), 'Ready False Mine');
  await nodes.rounds(10);
  assert.equal(nodes.node('silent').spec.taints, taints);
});

test('labels are there under their older names, and a node that takes no pods is tainted', async () => {
  nodes = await NodesUnderTest.create({});
  await nodes.start();
  await nodes.create('x', { spec: { unschedulable: true } });
  await nodes.becomes(() => nodes.taints('x'), 'unschedulable:NoSchedule');
  assert.is(nodes.node('x').metadata.labels, undefined);
  await nodes.cluster.edit('v1', 'nodes', { name: 'x' }, (node) => {
    node.metadata.labels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64', 'beta.kubernetes.io/arch': 'amd64' };
    delete node.spec.unschedulable;
  });
  await nodes.becomes(
    () =>
      JSON.stringify([
        nodes.node('x').metadata.labels?.['beta.kubernetes.io/os'],
        nodes.node('x').metadata.labels?.['beta.kubernetes.io/arch'],
      ]),
    '["linux","arm64"]',
  );
  await nodes.becomes(() => nodes.taints('x'), '');
});

test.run();
