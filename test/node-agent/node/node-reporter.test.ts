/** What the agent of a node knows of it, while answers and what is watched cross each other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import type { Client } from '../../../runtime/client/resources/client.ts';
import type { ClientRequest } from '../../../runtime/client/resources/requester.ts';
import { PROCESS_CLOCK } from '../../../runtime/client/work-queue/clock.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { MachineFacts } from '../../../runtime/node-agent/node/machine.ts';
import { NodeReporter } from '../../../runtime/node-agent/node/node-reporter.ts';
import type { StatusSource } from '../../../runtime/node-agent/node/node-status.ts';
import { serverAndClient } from '../../client/client-of.ts';
import type { Json } from '../../harness/client.ts';

/** Milliseconds; bounds a wait that is never as long. */
const PATIENCE = 10_000;

async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE; !(await isSo()); await sleep(10))
    assert.ok(Date.now() < end, `${what}: it does not come to that`);
}

const identity = createIdentity(identityData, 'kubernetes');
const facts = { operatingSystem: 'linux', architecture: 'amd64' } as MachineFacts;

const NODE_INFO = [
  'machineID',
  'systemUUID',
  'bootID',
  'kernelVersion',
  'osImage',
  'containerRuntimeVersion',
  'kubeletVersion',
  'kubeProxyVersion',
  'operatingSystem',
  'architecture',
];

/** A node that is ready, always the same. */
const source = {
  shutDown() {},
  status: () => ({
    conditions: [{ type: 'Ready', status: 'True', reason: 'Up', message: 'it is' }],
    rest: {
      capacity: { pods: '1' },
      allocatable: { pods: '1' },
      addresses: [{ type: 'Hostname', address: 'one' }],
      daemonEndpoints: { kubeletEndpoint: { Port: 1 } },
      nodeInfo: Object.fromEntries(NODE_INFO.map((name) => [name, name])),
    },
  }),
} as unknown as StatusSource;

const test = suite('the reporter of a node');

const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** Answers to reports are given when the test says so; the server has made them before. */
function holdReports(client: Client): { held: number; release(): void; hold(): void } {
  const request = client.request.bind(client);
  let gate: PromiseWithResolvers<void> | undefined;
  const holding = {
    held: 0,
    hold: () => {
      gate = Promise.withResolvers();
    },
    release: () => {
      gate?.resolve();
      gate = undefined;
    },
  };
  client.request = async <T>(sent: ClientRequest): Promise<T> => {
    const answer = await request<T>(sent);
    if (sent.method === 'PATCH' && gate !== undefined) {
      holding.held++;
      await gate.promise;
    }
    return answer;
  };
  return holding;
}

test('reports again where what others say of the node comes before the answer to its own report', async () => {
  await using context = await serverAndClient('kubernetes');
  const { server, client } = context;
  const holding = holdReports(client);
  const others = server.client;
  const readiness = async (): Promise<string> =>
    (await others.request('GET', '/api/v1/nodes/one')).status.conditions.find(({ type }: Json) => type === 'Ready').status;
  const saysUnknown = async (): Promise<void> => {
    const node = await others.request('GET', '/api/v1/nodes/one');
    node.status.conditions = [{ type: 'Ready', status: 'Unknown' }];
    await others.request('PUT', '/api/v1/nodes/one/status', node);
  };
  const reporter = new NodeReporter({
    client,
    registration: { name: 'one', hostname: 'one', identity, configuration: {} as never, facts, labels: {}, hasExternalProvider: false },
    registers: true,
    source,
    updateFrequency: 20,
    reportFrequency: 300_000,
    events: { record() {} },
    clock: PROCESS_CLOCK,
    log: SILENT,
  });
  try {
    reporter.start();
    await reporter.registered();
    await until('it is ready', async () => (await readiness()) === 'True');

    holding.hold();
    await saysUnknown();
    await until('it reports', () => holding.held === 1);
    assert.is(await readiness(), 'True');
    await saysUnknown();
    // time for the agent to hear of that: with too little the answer comes first, which is no trouble
    await sleep(200);
    holding.release();
    await until('it is ready again', async () => (await readiness()) === 'True');
  } finally {
    holding.release();
    await reporter.stop();
  }
});

const ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';
for (const [name, enableControllerAttachDetach, there, annotations] of [
  ['a controller attaches volumes', true, {}, { [ATTACH]: 'true' }],
  ['the agent attaches volumes', false, { [ATTACH]: 'true', other: 'stays' }, { other: 'stays' }],
] as const)
  test(`a node that is there is put right: ${name}`, async () => {
    await using context = await serverAndClient('kubernetes');
    const { server, client } = context;
    const metadata = { name: 'one', annotations: there, labels: { 'kubernetes.io/os': 'wrong', own: 'stays' } };
    await server.client.request('POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata });
    const reporter = new NodeReporter({
      client,
      registration: {
        name: 'one',
        hostname: 'one',
        identity,
        configuration: { enableControllerAttachDetach } as never,
        facts,
        labels: { 'topology.kubernetes.io/zone': 'z', tier: 'a' },
        hasExternalProvider: false,
      },
      registers: true,
      source,
      updateFrequency: 300_000,
      reportFrequency: 300_000,
      events: { record() {} },
      clock: PROCESS_CLOCK,
      log: SILENT,
    });
    try {
      reporter.start();
      await reporter.registered();
      const node = await server.client.request('GET', '/api/v1/nodes/one');
      const { 'kubernetes.io/os': os, own, tier, 'topology.kubernetes.io/zone': zone } = node.metadata.labels;
      assert.equal([os, own, tier, zone], ['linux', 'stays', undefined, 'z']);
      assert.equal(node.metadata.annotations, annotations);
    } finally {
      await reporter.stop();
    }
  });

test.run();
