/** Nodes that fall silent, come back, or never said anything, and their pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import {
  NodeLifecycleController,
  type NodeLifecycleSettings,
} from '../../../runtime/controllers/node-lifecycle/node-lifecycle-controller.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';

const LONG = 600_000;

/** A cluster of one test's own, and what its nodes say. */
class NodesUnderTest {
  readonly cluster: TestCluster;
  readonly #leases: string;
  readonly #speaking = new Map<string, Promise<void>>();
  #ended = false;

  private constructor(cluster: TestCluster) {
    this.cluster = cluster;
    this.#leases = cluster.server.identity.text('${leaseNamespace}');
  }

  static async create(settings: Partial<NodeLifecycleSettings>, dialect: Dialect = 'kubernetes'): Promise<NodesUnderTest> {
    const nodeLifecycle = { ...SETTINGS.nodeLifecycle, ...settings };
    return new NodesUnderTest(await TestCluster.create({ settings: { nodeLifecycle }, dialect }));
  }

  start = (): Promise<void> => this.cluster.start('nodelifecycle');

  async remove(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#speaking.values());
    await this.cluster.remove();
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

  /** A node whose agent renews its lease all the time, and says that it is ready whenever somebody else says something else. */
  async speaking(name: string): Promise<void> {
    const apiVersion = this.cluster.server.identity.text('coordination.${groupDomain}/v1');
    await this.create(name);
    await this.say(name, 'True');
    const key = { namespace: this.#leases, name };
    await this.cluster.create(apiVersion, 'leases', { metadata: key, spec: { holderIdentity: name, leaseDurationSeconds: 40 } });
    const speak = async (): Promise<void> => {
      while (!this.#ended) {
        await this.cluster.edit(apiVersion, 'leases', key, (lease) => {
          lease.spec.renewTime = `${new Date().toISOString().slice(0, -1)}000Z`;
        });
        if (!this.condition(name).startsWith('True')) await this.say(name, 'True');
        await sleep(20);
      }
    };
    this.#speaking.set(name, speak());
  }

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
  nodes = await NodesUnderTest.create({ grace: { usual: 700, startup: LONG } });
  await nodes.speaking('alive');
  await nodes.create('silent');
  await nodes.say('silent', 'True');
  for (const [name, node] of [
    ['here', 'alive'],
    ['there', 'silent'],
  ] as const)
    await nodes.pod(name, node);
  await nodes.start();
  await nodes.becomes(() => nodes.condition('silent'), 'Unknown NodeStatusUnknown');
  assert.is(nodes.condition('silent', 'DiskPressure'), 'Unknown NodeStatusNeverUpdated');
  await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule unreachable:NoExecute');
  assert.ok(nodes.node('silent').spec.taints.every(({ timeAdded }: { timeAdded?: string }) => timeAdded !== undefined));
  await nodes.becomes(() => nodes.readyOf('there'), 'Ready False Mine');
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
  nodes = await NodesUnderTest.create({ grace: { usual: LONG, startup: 1 } });
  await nodes.create('mute');
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  await nodes.start();
  await nodes.becomes(() => nodes.condition('mute'), 'Unknown NodeStatusNeverUpdated');
  await nodes.becomes(() => nodes.taints('mute'), 'unreachable:NoSchedule unreachable:NoExecute');
  assert.is(nodes.condition('ready'), 'True Agent');
  assert.is(nodes.taints('ready'), '');
});

test('as the specification has it, pods have the grace period once more before they are told to go', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: LONG, startup: 1 } }, 'cluster');
  await nodes.create('mute');
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  await nodes.start();
  await nodes.becomes(() => nodes.taints('mute'), 'unreachable:NoSchedule');
  assert.is(nodes.node('mute').spec.taints[0].key, 'node.cluster.io/unreachable');
  await sleep(10 * SETTINGS.nodeLifecycle.period);
  assert.is(nodes.taints('mute'), 'unreachable:NoSchedule');
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
    await sleep(10 * SETTINGS.nodeLifecycle.period);
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
  await sleep(10 * SETTINGS.nodeLifecycle.period);
  assert.is(nodes.taints('two'), 'not-ready:NoSchedule');
  await nodes.say('one', 'True');
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
  await sleep(10 * SETTINGS.nodeLifecycle.period);
  assert.is(nodes.taints('unready'), 'not-ready:NoSchedule');
});

test('of the nodes of a zone one is tainted at once, and the next one at its rate', async () => {
  nodes = await NodesUnderTest.create({ disruption: { ...SETTINGS.nodeLifecycle.disruption, rate: 0.001 } });
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  for (const name of ['a', 'b']) {
    await nodes.create(name, { metadata: { name, labels: { 'topology.kubernetes.io/zone': 'z' } } });
    await nodes.say(name, 'False');
  }
  await nodes.start();
  await nodes.becomes(() => nodes.taints('a'), 'not-ready:NoSchedule not-ready:NoExecute');
  await sleep(10 * SETTINGS.nodeLifecycle.period);
  assert.is(nodes.taints('b'), 'not-ready:NoSchedule');
  // in another zone it does not have to wait
  await nodes.cluster.edit('v1', 'nodes', { name: 'b' }, ({ metadata }) => {
    metadata.labels = { 'topology.kubernetes.io/zone': 'y' };
  });
  await nodes.becomes(() => nodes.taints('b'), 'not-ready:NoSchedule not-ready:NoExecute');
});

test('what went unheard between two listings', async () => {
  nodes = await NodesUnderTest.create({});
  const { server } = nodes.cluster;
  const controller = new NodeLifecycleController(server, { ...SETTINGS.nodeLifecycle, grace: { usual: 500, startup: LONG } });
  try {
    for (const name of ['gone', 'silent']) {
      await nodes.create(name);
      await nodes.say(name, 'True');
    }
    await controller.list(server.storage.currentRevision());
    await nodes.cluster.delete('v1', 'nodes', { name: 'gone' });
    await nodes.becomes(() => nodes.condition('silent'), 'Unknown NodeStatusUnknown');
    await controller.list(server.storage.currentRevision());
    await nodes.becomes(() => nodes.taints('silent'), 'unreachable:NoSchedule');
    const told = 'Node Normal RemovingNode: Node gone event: Removing Node gone from Controller';
    await eventually(
      () => nodes.told().includes(told),
      () => nodes.told().join('\n'),
    );
  } finally {
    await controller.stop();
  }
});

test('what was not done before a restart is done after it, and taints that are there stay', async () => {
  nodes = await NodesUnderTest.create({ grace: { usual: LONG, startup: 1 } });
  await nodes.create('ready');
  await nodes.say('ready', 'True');
  await nodes.create('mute');
  await nodes.start();
  await nodes.becomes(() => nodes.taints('mute'), 'unreachable:NoSchedule unreachable:NoExecute');
  const { taints } = nodes.node('mute').spec;
  await nodes.cluster.stop();
  await nodes.pod('left', 'mute');
  await nodes.start();
  await nodes.becomes(() => nodes.readyOf('left'), 'Ready False Mine');
  await sleep(10 * SETTINGS.nodeLifecycle.period);
  assert.equal(nodes.node('mute').spec.taints, taints);
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
