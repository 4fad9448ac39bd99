/** The checkpoint endpoint of a node agent: both programs, a runtime for tests, and every status that the endpoint has. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { type AgentProcess, startAgentProcess } from '../../harness/agent-process.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer, tokens } from '../../harness/server.ts';
import { TestRuntime } from '../../node-agent/test-runtime.ts';

const PLACE = '/checkpoint/default/web/nginx';
const directory = mkdtempSync(path.join(tmpdir(), 'agent-e2e-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
let runtimes = 0;

interface Cluster {
  readonly server: TestServer;
  readonly client: Client;
  readonly runtime: TestRuntime;
  readonly agent: AgentProcess;
  stop(): Promise<void>;
}

async function startCluster(dialect: Dialect): Promise<Cluster> {
  const server = await startServer({ dialect });
  const runtime = await new TestRuntime(path.join(directory, `runtime-${runtimes++}.sock`)).start();
  runtime.addPod('default', 'web', ['nginx']);
  const agent = await startAgentProcess(server, {
    configuration: { containerRuntimeEndpoint: `unix://${runtime.socket}` },
  });
  const client = new Client(server);
  return {
    server,
    client,
    runtime,
    agent,
    async stop() {
      await agent.stop();
      runtime.stop();
      client.close();
      await server.stop();
    },
  };
}

/** Lets alice do it on every node. */
async function grant({ client, server }: Cluster, rules: object[]): Promise<void> {
  const apiGroup = client.name('rbac.authorization.${groupDomain}');
  const [apiVersion, metadata] = [`${apiGroup}/v1`, { name: 'alice' }];
  const created = server.dialect === 'kubernetes' ? 201 : 200;
  const role = await client.post(`/apis/${apiVersion}/clusterroles`, { apiVersion, kind: 'ClusterRole', metadata, rules });
  assert.is(role.status, created, role.text);
  const subjects = [{ kind: 'User', apiGroup, name: 'alice' }];
  const roleRef = { apiGroup, kind: 'ClusterRole', name: 'alice' };
  const binding = await client.post(`/apis/${apiVersion}/clusterrolebindings`, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata,
    subjects,
    roleRef,
  });
  assert.is(binding.status, created, binding.text);
}

for (const dialect of ['kubernetes', 'cluster'] as const) {
  const checkpoints = suite(`checkpoint endpoint of dialect ${dialect}`);
  let cluster: Cluster;
  checkpoints.before(async () => {
    cluster = await startCluster(dialect);
  });
  checkpoints.after(() => cluster.stop());
  checkpoints('who shows nothing, or a token that is none: 401', async () => {
    for (const token of ['', 'nobody']) {
      const { status, body } = await cluster.agent.ask('POST', PLACE, token);
      assert.equal([status, body.trim()], [401, 'Unauthorized']);
    }
    assert.equal(cluster.runtime.checkpoints, []);
  });
  checkpoints('who may not: 403; who may create nodes/checkpoint: 200', async () => {
    const refused = await cluster.agent.ask('POST', PLACE, tokens.alice);
    assert.is(refused.status, 403);
    assert.match(refused.body, /^Forbidden \(user=alice, verb=create, resource=nodes, subresource\(s\)=\[checkpoint\]\)/);
    assert.equal(cluster.runtime.checkpoints, []);
    await grant(cluster, [{ verbs: ['create'], apiGroups: [''], resources: ['nodes/checkpoint'] }]);
    const { status, headers, body } = await cluster.agent.ask('POST', PLACE, tokens.alice);
    assert.is(status, 200, body);
    assert.is(headers && 'content-type' in headers && headers['content-type'], 'application/json');
    const { items } = JSON.parse(body) as { items: string[] };
    const folder = path.join(cluster.agent.rootDirectory, 'checkpoints');
    assert.equal(
      items,
      readdirSync(folder).map((name) => path.join(folder, name)),
    );
    assert.is(readFileSync(items[0] as string, 'utf8'), 'archive');
    assert.is(statSync(items[0] as string).mode & 0o777, 0o600);
    assert.is((await cluster.agent.ask('GET', '/pods', tokens.alice)).status, 403);
  });
  checkpoints('another method: 405', async () => {
    await cluster.agent.ask('GET', PLACE, tokens.admin).then(({ status, headers }) => {
      assert.is(status, 405);
      assert.is(headers && 'allow' in headers && headers.allow, 'POST');
    });
  });
  const absent: [place: string, body: string][] = [
    ['/checkpoint/nowhere/web/nginx', 'pod does not exist'],
    ['/checkpoint/default/db/nginx', 'pod does not exist'],
    ['/checkpoint/default/web/log', 'container log does not exist'],
    [`${PLACE}?timeout=soon`, 'cannot parse value of timeout parameter'],
  ];
  for (const [place, body] of absent)
    checkpoints(`${place}: 404`, async () => {
      const answer = await cluster.agent.ask('POST', place, tokens.admin);
      assert.equal([answer.status, answer.body.trim()], [404, body]);
    });
  checkpoints('a runtime that fails: 500 with its message', async () => {
    const { checkpoint } = cluster.runtime;
    cluster.runtime.checkpoint = () => Promise.reject(new InterfaceError('INTERNAL', 'criu failed'));
    const { status, body } = await cluster.agent.ask('POST', PLACE, tokens.admin);
    assert.equal([status, body.trim()], [500, 'checkpointing of default/web/nginx failed (rpc error: code = Internal desc = criu failed)']);
    cluster.runtime.checkpoint = checkpoint;
  });
  checkpoints('the pods of the runtime are shown to who may', async () => {
    const { status, body } = await cluster.agent.ask('GET', '/pods', tokens.admin);
    assert.is(status, 200, body);
    const { items } = JSON.parse(body) as { items: { metadata: { name: string }; spec: { nodeName: string } }[] };
    assert.equal(
      items.map(({ metadata, spec }) => [metadata.name, spec.nodeName]),
      [['web', 'near']],
    );
  });
  checkpoints('the node is ready, and says which runtime it has', async () => {
    const node = (await cluster.client.get('/api/v1/nodes/near')).body;
    assert.is(node.status.nodeInfo.containerRuntimeVersion, 'test://1.2.3');
    assert.is(node.status.conditions.find(({ type }: { type: string }) => type === 'Ready')?.status, 'True');
  });
  checkpoints('without the feature gate: 404 for who may, and others hear nothing of it', async () => {
    const { server, runtime } = cluster;
    const configuration = { containerRuntimeEndpoint: `unix://${runtime.socket}`, featureGates: { ContainerCheckpoint: false } };
    const agent = await startAgentProcess(server, { configuration, nodeName: 'gated' });
    try {
      const before = runtime.checkpoints.length;
      const { status, body } = await agent.ask('POST', PLACE, tokens.admin);
      assert.is(status, 404);
      assert.match(body, /page not found/i);
      assert.is((await agent.ask('POST', PLACE, '')).status, 401);
      assert.is((await agent.ask('POST', '/pods', tokens.alice)).status, 403);
      assert.is(runtime.checkpoints.length, before);
    } finally {
      await agent.stop();
    }
  });
  checkpoints.run();
}
