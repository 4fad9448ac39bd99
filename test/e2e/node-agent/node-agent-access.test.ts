/** Who gets what of a node agent: the API server decides, by subresources of nodes as 1.32 has them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AgentProcess, startAgentProcess } from '../../harness/agent-process.ts';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer, tokens } from '../../harness/server.ts';

const RBAC = 'rbac.authorization.k8s.io';

const access = suite('access to a node agent');
let server: TestServer;
let client: Client;
const agents: AgentProcess[] = [];

access.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
  const metadata = { name: 'alice' };
  const rules: object[] = [];
  const apiVersion = `${RBAC}/v1`;
  const subjects = ['alice', 'system:anonymous'].map((name) => ({ kind: 'User', apiGroup: RBAC, name }));
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name: 'alice' };
  for (const [kind, body] of [
    ['ClusterRole', { rules }],
    ['ClusterRoleBinding', { subjects, roleRef }],
  ] as const) {
    const { status, text } = await client.post(`/apis/${apiVersion}/${kind.toLowerCase()}s`, { apiVersion, kind, metadata, ...body });
    assert.is(status, 201, text);
  }
});
access.after(async () => {
  client.close();
  for (const agent of agents) await agent.stop();
  await server.stop();
});

async function start(options: Parameters<typeof startAgentProcess>[1]): Promise<AgentProcess> {
  const agent = await startAgentProcess(server, options);
  agents.push(agent);
  return agent;
}

/** What alice may do with subresources of nodes: verbs by name. */
async function may(rights: Readonly<Record<string, string>>): Promise<void> {
  const rules = Object.entries(rights).map(([subresource, verb]) => ({
    verbs: [verb],
    apiGroups: [''],
    resources: [`nodes/${subresource}`],
  }));
  const { status, text } = await client.patch(`/apis/${RBAC}/v1/clusterroles/alice`, { rules });
  assert.is(status, 200, text);
}

type Row = [request: string, rights: Readonly<Record<string, string>>, status: number, subresources?: string];

async function hold(agent: AgentProcess, rows: readonly Row[]): Promise<void> {
  for (const [request, rights, status, subresources] of rows) {
    await may(rights);
    const [method = '', url = ''] = request.split(' ');
    const answer = await agent.ask(method, url, tokens.alice);
    assert.is(answer.status, status, `${request} with ${JSON.stringify(rights)}: ${answer.body}`);
    if (subresources !== undefined)
      assert.match(answer.body, new RegExp(`user=alice.*resource=nodes, subresource\\(s\\)=\\[${subresources}\\]`));
  }
}

access('paths ask for their subresource, and others for proxy', async () => {
  const agent = await start({ nodeName: 'plain' });
  await hold(agent, [
    ['GET /healthz', {}, 403, 'proxy'],
    ['GET /healthz', { healthz: 'get' }, 403, 'proxy'],
    ['GET /healthz', { proxy: 'get' }, 200],
    ['GET /configz', { configz: 'get' }, 403, 'proxy'],
    ['GET /metrics', { proxy: 'get' }, 403, 'metrics'],
    ['GET /metrics', { metrics: 'get' }, 200],
    ['GET /metrics/cadvisor', { metrics: 'get' }, 501],
    ['GET /stats/summary', { stats: 'get' }, 501],
    ['GET /logs/syslog', { log: 'get' }, 501],
    ['GET /logs/syslog', { proxy: 'get' }, 403, 'log'],
    ['POST /exec/default/web/nginx', { proxy: 'get' }, 403, 'proxy'],
    ['POST /exec/default/web/nginx', { proxy: 'create' }, 501],
    ['POST /checkpoint/default/web/nginx', { proxy: '*' }, 403, 'checkpoint'],
    ['GET /nothing', {}, 403, 'proxy'],
    ['GET /nothing', { proxy: 'get' }, 404],
    ['DELETE /healthz', { proxy: 'get' }, 403, 'proxy'],
    ['DELETE /healthz', { proxy: 'delete' }, 405],
  ]);
});
access('with the gate KubeletFineGrainedAuthz some paths ask for their own subresource first', async () => {
  const agent = await start({ nodeName: 'fine', configuration: { featureGates: { KubeletFineGrainedAuthz: true } } });
  await hold(agent, [
    ['GET /healthz', {}, 403, 'healthz proxy'],
    ['GET /healthz', { healthz: 'get' }, 200],
    ['GET /healthz', { proxy: 'get' }, 200],
    ['GET /configz', { healthz: 'get' }, 403, 'configz proxy'],
    ['GET /configz', { configz: 'get' }, 200],
    ['GET /pods', { healthz: 'get' }, 403, 'pods proxy'],
    ['GET /metrics', { proxy: 'get' }, 403, 'metrics'],
    ['GET /nothing', {}, 403, 'proxy'],
  ]);
});
access('nobody in particular is refused, or asked about where that is allowed', async () => {
  const [closed] = agents;
  assert.is((await closed?.ask('GET', '/healthz', ''))?.status, 401);
  const open = await start({
    nodeName: 'open',
    configuration: { authentication: { anonymous: { enabled: true }, webhook: { enabled: true, cacheTTL: '1ms' } } },
  });
  await may({});
  const refused = await open.ask('GET', '/healthz', '');
  assert.is(refused.status, 403);
  assert.match(refused.body, /user=system:anonymous, verb=get/);
  await may({ proxy: 'get' });
  assert.is((await open.ask('GET', '/healthz', '')).status, 200);
  assert.is((await open.ask('GET', '/healthz', 'nobody')).status, 401, 'a wrong token is no anonymous request');
});
access('without a server that decides nobody gets anything', async () => {
  const other = await startServer({ dialect: 'kubernetes' });
  const agent = await startAgentProcess(other, { nodeName: 'lonely' });
  try {
    assert.is((await agent.ask('GET', '/healthz', tokens.admin)).status, 200);
    await other.stop();
    const { status } = await agent.ask('GET', '/healthz', tokens.admin);
    assert.ok(status === 401 || status === 500, String(status));
  } finally {
    await agent.stop();
  }
});
access.run();
