/** The life of a node whose agent runs: it registers, reports, falls silent, comes back and ends; in both dialects. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { type AgentProcess, startAgentProcess } from '../../harness/agent-process.ts';
import { Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const PODS = '/api/v1/namespaces/default/pods';

/** Bounded: 60 s. */
async function becomes(what: () => Promise<string>, wanted: string): Promise<void> {
  const until = Date.now() + 60_000;
  for (;;) {
    const is = await what();
    if (is === wanted) return;
    if (Date.now() > until) throw new Error(`${is}, not ${wanted}`);
    await sleep(50);
  }
}

interface Cluster {
  readonly server: TestServer;
  readonly client: Client;
  node(name: string): Promise<Json>;
  ready(name: string): Promise<string>;
  events(name: string): Promise<string[]>;
}

async function cluster(dialect: Dialect, flags: readonly string[] = []): Promise<Cluster> {
  const server = await startServer({ dialect, flags });
  const client = new Client(server);
  const node = async (name: string): Promise<Json> => (await client.get(`/api/v1/nodes/${name}`)).body;
  return {
    server,
    client,
    node,
    ready: async (name) => (await node(name)).status.conditions.find(({ type }: Json) => type === 'Ready').status,
    async events(name) {
      const { body } = await client.get(`/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`);
      return body.items.map(({ reason }: Json) => reason).sort();
    },
  };
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const life = suite(`a node and its agent (${dialect})`);
  let quiet: Cluster;
  let agent: AgentProcess;
  life.before(async () => {
    quiet = await cluster(dialect);
    agent = await startAgentProcess(quiet.server, {
      nodeName: 'one',
      configuration: {
        nodeStatusUpdateFrequency: '200ms',
        nodeStatusReportFrequency: '5m',
        registerWithTaints: [{ key: 'own', value: 'x', effect: 'PreferNoSchedule' }],
        maxPods: 7,
        systemReserved: { memory: '64Mi' },
      },
      flags: [
        '--node-labels=tier=a,node.kubernetes.io/instance-type=large'.replaceAll('kubernetes.io', quiet.client.name('${labelDomain}')),
      ],
    });
  });
  life.after(async () => {
    await agent.stop();
    quiet.client.close();
    await quiet.server.stop();
  });

  life('is ready as soon as it is there, with what the configuration and the machine have', async () => {
    const node = await quiet.node('one');
    const { status, spec, metadata } = node;
    const labelDomain = quiet.client.name('${labelDomain}');
    assert.equal(
      status.conditions.map(({ type, status: value }: Json) => `${type}=${value}`),
      ['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True'],
    );
    assert.is(metadata.labels.tier, 'a');
    assert.is(metadata.labels[`node.${labelDomain}/instance-type`], 'large');
    assert.is(metadata.labels[`${labelDomain}/hostname`], 'one');
    assert.ok(spec.taints.some(({ key, effect }: Json) => key === 'own' && effect === 'PreferNoSchedule'));
    assert.is(status.capacity.pods, '7');
    assert.is.not(status.capacity.memory, status.allocatable.memory);
    assert.equal(status.addresses, [
      { type: 'InternalIP', address: '127.0.0.1' },
      { type: 'Hostname', address: 'one' },
    ]);
    assert.is(status.daemonEndpoints.kubeletEndpoint.Port, agent.port);
    assert.is(status.nodeInfo.kubeletVersion, 'v1.32.0');
    assert.is(status.nodeInfo.operatingSystem, process.platform);
  });
  life('holds a lease that the node owns', async () => {
    const leases = quiet.client.name('/apis/coordination.${groupDomain}/v1/namespaces/${leaseNamespace}/leases');
    await becomes(async () => String((await quiet.client.get(`${leases}/one`)).status), '200');
    const { body } = await quiet.client.get(`${leases}/one`);
    assert.is(body.spec.holderIdentity, 'one');
    assert.is(body.spec.leaseDurationSeconds, 40);
    assert.is(body.metadata.ownerReferences[0].uid, (await quiet.node('one')).metadata.uid);
  });
  life('tells what happens', async () => {
    const wanted = ['NodeHasNoDiskPressure', 'NodeHasSufficientMemory', 'NodeHasSufficientPID', 'NodeReady', 'Starting'];
    await becomes(async () => {
      const seen = await quiet.events('one');
      return wanted.every((reason) => seen.includes(reason)) ? 'all' : seen.join();
    }, 'all');
  });
  life('writes nothing while nothing changes', async () => {
    const before = (await quiet.node('one')).metadata.resourceVersion;
    await sleep(1_000);
    assert.is((await quiet.node('one')).metadata.resourceVersion, before);
  });
  life('keeps what others say of it when the agent starts again', async () => {
    await quiet.client.patch('/api/v1/nodes/one', { spec: { unschedulable: true }, metadata: { labels: { mine: 'yes' } } });
    await becomes(async () => String((await quiet.events('one')).includes('NodeNotSchedulable')), 'true');
    const network = { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated' };
    const { status, text } = await quiet.client.patch(
      '/api/v1/nodes/one/status',
      { status: { conditions: [network] } },
      'application/strategic-merge-patch',
    );
    assert.is(status, 200, text);
    const { uid } = (await quiet.node('one')).metadata;
    await agent.restart();
    const node = await quiet.node('one');
    assert.equal([node.metadata.uid, node.spec.unschedulable, node.metadata.labels.mine], [uid, true, 'yes']);
    assert.ok(node.status.conditions.some(({ type }: Json) => type === 'NetworkUnavailable'));
    await becomes(() => quiet.ready('one'), 'True');
  });
  life('is ready again where somebody has said that nothing is known of it', async () => {
    const unknown = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' };
    const { body, text } = await quiet.client.patch(
      '/api/v1/nodes/one/status',
      { status: { conditions: [unknown] } },
      'application/strategic-merge-patch',
    );
    assert.is(body.status.conditions.find(({ type }: Json) => type === 'Ready')?.status, 'Unknown', text);
    await becomes(() => quiet.ready('one'), 'True');
  });
  life('says so when the agent ends', async () => {
    await agent.stop();
    const { conditions } = (await quiet.node('one')).status;
    const ready = conditions.find(({ type }: Json) => type === 'Ready');
    assert.equal([ready.status, ready.message], ['False', 'node is shutting down']);
  });
  life.run();

  const silence = suite(`a node whose agent falls silent (${dialect})`);
  silence('is unknown, loses its pods, and is ready when the agent is back', async () => {
    const flags = [
      '--controllers=*,node-lifecycle-controller,taint-eviction-controller',
      '--node-monitor-grace-period=3s',
      '--node-monitor-period=100ms',
      '--node-eviction-rate=100',
    ];
    const short = await cluster(dialect, flags);
    const configuration = { nodeLeaseDurationSeconds: 1, nodeStatusUpdateFrequency: '200ms', nodeStatusReportFrequency: '5m' };
    // where all nodes are silent nobody's pods go
    const other = await startAgentProcess(short.server, { nodeName: 'other', configuration });
    const silent = await startAgentProcess(short.server, { nodeName: 'two', configuration });
    try {
      const unreachable = short.client.name('node.${labelDomain}/unreachable');
      const taints = async (): Promise<string> =>
        ((await short.node('two')).spec.taints ?? [])
          .filter(({ key }: Json) => key === unreachable)
          .map(({ effect }: Json) => effect)
          .sort()
          .join();
      await becomes(() => short.ready('two'), 'True');
      await becomes(async () => String((await short.client.get('/api/v1/namespaces/default/serviceaccounts/default')).status), '200');
      const pod = {
        metadata: { name: 'web' },
        spec: {
          nodeName: 'two',
          terminationGracePeriodSeconds: 0,
          containers: [{ name: 'web', image: 'web:1' }],
          tolerations: [{ key: unreachable, effect: 'NoExecute', operator: 'Exists', tolerationSeconds: 0 }],
        },
      };
      const created = await short.client.post(PODS, pod);
      assert.ok(created.status < 300, created.text);
      await silent.kill();
      await becomes(() => short.ready('two'), 'Unknown');
      await becomes(taints, 'NoExecute,NoSchedule');
      await becomes(async () => String((await short.client.get(`${PODS}/web`)).status), '404');
      await silent.restart();
      await becomes(() => short.ready('two'), 'True');
      await becomes(taints, '');
    } finally {
      await silent.stop();
      await other.stop();
      short.client.close();
      await short.server.stop();
    }
  });
  silence.run();
}
