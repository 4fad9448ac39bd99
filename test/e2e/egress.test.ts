/** Other servers that this one reaches by proxies alone: their addresses lead nowhere from here. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { type RequestListener } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { ConnectProxy, KonnectivityServer, socketPath } from '../egress/proxies.ts';
import { eventually } from '../harness/eventually.ts';
import { OpenSsl } from '../harness/openssl.ts';
import { TraceCollector } from '../harness/trace-collector.ts';

const openssl = new OpenSsl();
const issuer = openssl.authority('webhooks');
const serving = openssl.leaf({ subject: '/CN=hook', issuer, usage: 'serverAuth', host: 'hook.default.svc' });
const byAddress = openssl.leaf({ subject: '/CN=hook', issuer, usage: 'serverAuth', host: '10.40.0.1' });

/** Answers of all servers, by their paths. */
const asked: string[] = [];
const answer: RequestListener = async (request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://a');
  const body = await text(request);
  asked.push(pathname);
  const question = body === '' ? {} : JSON.parse(body);
  const status = {
    '/token': { authenticated: true, user: { username: 'jane', groups: ['readers'] } },
    '/authorize': { allowed: question.spec?.user === 'jane' },
  }[pathname];
  response.setHeader('content-type', 'application/json');
  if (status !== undefined) response.end(JSON.stringify({ ...question, status }));
  else if (pathname === '/admit') response.end(JSON.stringify({ ...question, response: { uid: question.request.uid, allowed: true } }));
  else if (pathname === '/apis/lights.example.com/v1/lamps') response.end(JSON.stringify({ kind: 'LampList', items: [] }));
  else response.end(JSON.stringify({ path: pathname }));
};
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
const plain = http.createServer(answer);
const secure = https.createServer(
  { cert: serving.certificate, key: serving.key, SNICallback: (_name, found) => found(null), requestCert: false },
  answer,
);
const atAddress = https.createServer({ cert: byAddress.certificate, key: byAddress.key }, answer);
const collector = await new TraceCollector().listen();
const [plainPort, securePort, addressPort] = await Promise.all([plain, secure, atAddress].map(listen));
const ports: Readonly<Record<string, number | undefined>> = {
  '10.30.0.1:80': plainPort,
  '10.20.0.1:10250': securePort,
  '10.96.0.10:443': securePort,
  '10.96.0.11:443': securePort,
  '10.40.0.1:80': plainPort,
  '10.40.0.1:8443': addressPort,
  '10.40.0.2:4317': Number(collector.endpoint.split(':').at(-1)),
};
const lead = (address: string): number | undefined => ports[address];

const clusterSocket = socketPath();
const controlplaneSocket = socketPath();
const cluster = await new KonnectivityServer(lead).listen(clusterSocket);
const controlplane = await new ConnectProxy(lead).listen(controlplaneSocket);

const file = (name: string, content: unknown): string => {
  const at = path.join(openssl.folder, name);
  writeFileSync(at, JSON.stringify(content));
  return at;
};
const kubeconfig = (name: string): string =>
  file(`${name}.conf`, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: `http://10.40.0.1:80/${name}` } }],
    users: [{ name, user: {} }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
const egressSelections = [
  { name: 'cluster', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: clusterSocket } } } },
  { name: 'controlplane', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: controlplaneSocket } } } },
];
const flags = {
  'egress-selector-config-file': file('egress.yaml', {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections,
  }),
  'authentication-token-webhook-config-file': kubeconfig('token'),
  'authentication-token-webhook-version': 'v1',
  'authorization-mode': ['Webhook', 'RBAC'],
  'authorization-webhook-config-file': kubeconfig('authorize'),
  'authorization-webhook-version': 'v1',
  'audit-webhook-config-file': kubeconfig('audit'),
  'audit-webhook-batch-max-wait': '10ms',
  'audit-policy-file': file('policy.yaml', { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
  'tracing-config-file': file('tracing.yaml', {
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    kind: 'TracingConfiguration',
    endpoint: '10.40.0.2:4317',
    samplingRatePerMillion: 1_000_000,
  }),
  'service-cluster-ip-range': ['10.96.0.0/24'],
  'disable-admission-plugins': ['ServiceAccount'],
  controllers: ['-*'],
};

const test = suite('egress by proxies');
let server: EmbeddedServer;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes', flags });
  const service = (name: string, clusterIP: string) =>
    made('/api/v1/namespaces/default/services', { metadata: { name }, spec: { clusterIP, ports: [{ port: 443 }] } });
  await service('hook', '10.96.0.10');
  await service('lights', '10.96.0.11');
});
test.after(async () => {
  await server.stop();
  cluster.stop();
  await controlplane.stop();
  collector.stop();
  for (const each of [plain, secure, atAddress]) {
    each.closeAllConnections();
    each.close();
  }
});

const AUTHORITY = Buffer.from(issuer.certificate).toString('base64');

const MERGE = 'application/merge-patch+json';

async function ask(
  method: string,
  at: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown }> {
  const sent = body !== undefined && { body: JSON.stringify(body) };
  const response = await server.client.fetch(at, {
    method,
    headers: { 'content-type': method === 'PATCH' ? MERGE : 'application/json', ...headers },
    ...sent,
  });
  return { status: response.status, body: await response.json() };
}

async function made(at: string, body: object): Promise<void> {
  const { status, body: said } = await ask('POST', at, body);
  assert.is(status, 201, JSON.stringify(said));
}

async function become(at: string, status: object): Promise<void> {
  const { status: code, body: said } = await ask('PATCH', `${at}/status`, { status });
  assert.is(code, 200, JSON.stringify(said));
}

test('pods and node agents are reached through the cluster', async () => {
  await made('/api/v1/nodes', { metadata: { name: 'one' } });
  const status = { addresses: [{ type: 'InternalIP', address: '10.20.0.1' }], daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } };
  await become('/api/v1/nodes/one', status);
  await made('/api/v1/namespaces/default/pods', {
    metadata: { name: 'web' },
    spec: { nodeName: 'one', containers: [{ name: 'web', image: 'web:1' }] },
  });
  const podStatus = { podIP: '10.30.0.1', podIPs: [{ ip: '10.30.0.1' }] };
  await become('/api/v1/namespaces/default/pods/web', podStatus);
  const pod = await ask('GET', '/api/v1/namespaces/default/pods/http:web:80/proxy/hello');
  assert.equal([pod.status, pod.body], [200, { path: '/hello' }]);
  const node = await ask('GET', '/api/v1/nodes/one/proxy/pods');
  assert.equal([node.status, node.body], [200, { path: '/pods' }]);
  const log = await ask('GET', '/api/v1/namespaces/default/pods/web/log');
  assert.equal([log.status, log.body], [200, { path: '/containerLogs/default/web/web' }]);
  assert.ok(cluster.asked.includes('10.30.0.1:80'));
  assert.ok(cluster.asked.includes('10.20.0.1:10250'));
});
test('a pod that the proxy cannot reach is told', async () => {
  const podStatus = { podIP: '10.30.0.9', podIPs: [{ ip: '10.30.0.9' }] };
  await made('/api/v1/namespaces/default/pods', {
    metadata: { name: 'lost' },
    spec: { nodeName: 'one', containers: [{ name: 'a', image: 'a' }] },
  });
  await become('/api/v1/namespaces/default/pods/lost', podStatus);
  const { status, body } = await ask('GET', '/api/v1/namespaces/default/pods/http:lost:80/proxy/');
  assert.is(status, 503);
  assert.match((body as { message: string }).message, /proxy error from .* while dialing 10\.30\.0\.9:80: no agent is there$/);
});
test('webhooks at services are reached through the cluster, those at addresses through the control plane', async () => {
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }];
  const common = { rules, admissionReviewVersions: ['v1'], sideEffects: 'None' };
  const service = { namespace: 'default', name: 'hook', path: '/admit' };
  await made('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'hooks' },
    webhooks: [
      { ...common, name: 'service.example.com', clientConfig: { service, caBundle: AUTHORITY } },
      { ...common, name: 'address.example.com', clientConfig: { url: 'https://10.40.0.1:8443/admit', caBundle: AUTHORITY } },
    ],
  });
  await made('/api/v1/namespaces/default/configmaps', { metadata: { name: 'admitted' } });
  assert.is(asked.filter((each) => each === '/admit').length, 2);
  assert.ok(cluster.asked.includes('10.96.0.10:443'));
  assert.ok(controlplane.asked.includes('10.40.0.1:8443'));
});
test('aggregated servers are reached through the cluster', async () => {
  const ready = { addresses: [{ ip: '10.30.0.2' }], ports: [{ port: 443 }] };
  await made('/api/v1/namespaces/default/endpoints', { metadata: { name: 'lights' }, subsets: [ready] });
  await made('/apis/apiregistration.k8s.io/v1/apiservices', {
    metadata: { name: 'v1.lights.example.com' },
    spec: {
      group: 'lights.example.com',
      version: 'v1',
      service: { namespace: 'default', name: 'lights' },
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1000,
      versionPriority: 10,
    },
  });
  await eventually('it is available', async () => (await server.client.fetch('/apis/lights.example.com/v1/lamps')).status === 200);
  const { body } = await ask('GET', '/apis/lights.example.com/v1/lamps');
  assert.equal(body, { kind: 'LampList', items: [] });
  assert.ok(cluster.asked.includes('10.96.0.11:443'));
});
test('services that know tokens, decide and take audit events are reached through the control plane, as are collectors of traces', async () => {
  const { status } = await ask('GET', '/api/v1/namespaces/default/configmaps/admitted', undefined, { authorization: 'Bearer jane-token' });
  assert.is(status, 200);
  assert.ok(asked.includes('/token'));
  assert.ok(asked.includes('/authorize'));
  await eventually('audit events have come', () => asked.includes('/audit'));
  await eventually('spans have come', () => collector.spans.length > 0);
  assert.ok(controlplane.asked.includes('10.40.0.1:80'));
  assert.ok(controlplane.asked.includes('10.40.0.2:4317'));
  assert.not(cluster.asked.some((each) => each.startsWith('10.40.')));
});

test.run();
