/** Roles on a running server: default ones, gathered ones, rights that come and go, and ways around them. */
import { mkdtemp, rm } from 'node:fs/promises';
import http2 from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client, type Json } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const dialect = 'cluster';
const test = suite('roles on a server');
let directory: string;
let server: TestServer;
let admin: Client;
let alice: Client;
let nobody: Client;

const API = '/apis/rbac.authorization.cluster.io/v1';
const apiVersion = 'rbac.authorization.cluster.io/v1';
const ROLES = `${API}/namespaces/default/roles`;
const BINDINGS = `${API}/namespaces/default/rolebindings`;

async function start(): Promise<void> {
  server = await startServer({ dialect, directory });
  admin = new Client(server);
  alice = new Client(server, server.tokens.alice);
  nobody = new Client(server, '');
}

async function stop(): Promise<void> {
  for (const client of [admin, alice, nobody]) client.close();
  assert.equal(server.faults(), []);
  assert.is(await server.stop(), 0);
}

test.before(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'cluster-apiserver-roles-'));
  await start();
});
test.after(async () => {
  await stop();
  await rm(directory, { recursive: true, force: true });
});

const rule = (resource: string, ...verbs: string[]) => ({ verbs, apiGroups: [''], resources: [resource] });
const role = (name: string, ...rules: object[]) => ({ apiVersion, kind: 'Role', metadata: { name }, rules });
const binding = (name: string, of = name) => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { name },
  subjects: [{ kind: 'User', name: 'alice' }],
  roleRef: { apiGroup: 'rbac.authorization.cluster.io', kind: 'Role', name: of },
});

/** Asks until an answer holds, for at most 10 s. */
async function eventually(ask: () => Promise<Json>, holds: (answer: Json) => boolean): Promise<Json> {
  for (let attempt = 0; ; attempt++) {
    const answer = await ask();
    if (holds(answer) || attempt >= 200) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test('default ones are there when the server is ready', async () => {
  const { body } = await admin.get(`${API}/clusterroles/view`);
  assert.is(body.metadata.annotations['rbac.authorization.cluster.io/autoupdate'], 'true');
  assert.ok(body.rules.length > 5);
  assert.is((await admin.get(`${API}/clusterrolebindings`)).body.items.length, 46);
});

test('everybody may see health and version, and who is known the API', async () => {
  for (const url of ['/healthz', '/livez', '/readyz', '/version', '/version/']) assert.is((await nobody.get(url)).status, 200, url);
  for (const url of ['/api', '/apis', '/openapi/v2', '/apis/apps/v1', '/', '/livez/ping', '/healthz/'])
    assert.is((await nobody.get(url)).status, 403, url);
  for (const url of ['/api', '/apis', '/apis/apps/v1']) assert.is((await alice.get(url)).status, 200, url);
});

test('a right counts for the request after its binding, and no longer than that', async () => {
  assert.is((await admin.post(ROLES, role('reader', rule('configmaps', 'get', 'list', 'watch')))).status, 200);
  for (let round = 0; round < 20; round++) {
    assert.is((await alice.get('/api/v1/namespaces/default/configmaps')).status, 403);
    assert.is((await admin.post(BINDINGS, binding('reader'))).status, 200);
    assert.is((await alice.get('/api/v1/namespaces/default/configmaps')).status, 200);
    assert.is((await admin.delete(`${BINDINGS}/reader`)).status, 200);
  }
});

test('a watch that outlives its right is the last one', async () => {
  await admin.post(BINDINGS, binding('reader'));
  const url = '/api/v1/namespaces/default/configmaps';
  const watch = await alice.watch(`${url}?watch=1`);
  await admin.delete(`${BINDINGS}/reader`);
  assert.is((await alice.get(`${url}?watch=1`)).status, 403);
  assert.is((await alice.get(url)).status, 403);
  watch.close();
});

test('gathered rules follow their labels and rules', async () => {
  const label = { 'rbac.authorization.cluster.io/aggregate-to-view': 'true' };
  const extra = { apiVersion, kind: 'ClusterRole', metadata: { name: 'extra', labels: label }, rules: [rule('gadgets', 'get')] };
  const view = async () => (await admin.get(`${API}/clusterroles/view`)).body.rules;
  const has = (rules: Json): boolean => JSON.stringify(rules).includes('gadgets');
  assert.not.ok(has(await view()));
  await admin.post(`${API}/clusterroles`, extra);
  assert.ok(has(await eventually(view, has)));
  const gathered = await eventually(async () => (await admin.get(`${API}/clusterroles/admin`)).body.rules, has);
  assert.ok(has(gathered), 'through edit, which gathers view');
  await admin.patch(`${API}/clusterroles/view`, { rules: [rule('anything', '*')] });
  assert.not.match(JSON.stringify(await eventually(view, has)), 'anything');
  await admin.delete(`${API}/clusterroles/extra`);
  assert.not.ok(has(await eventually(view, (rules) => !has(rules))));
});

test('a start repairs default ones, but those that are to stay', async () => {
  const annotation = 'rbac.authorization.cluster.io/autoupdate';
  await admin.delete(`${API}/clusterroles/system:discovery`);
  await admin.delete(`${API}/clusterrolebindings/system:basic-user`);
  await admin.patch(`${API}/clusterroles/system:node-proxier`, { rules: [rule('own', 'get')] });
  await admin.patch(`${API}/clusterroles/system:kube-dns`, { metadata: { annotations: { [annotation]: 'false' } }, rules: [] });
  assert.is((await alice.get('/api')).status, 403);
  await stop();
  await start();
  assert.is((await alice.get('/api')).status, 200);
  assert.is((await admin.get(`${API}/clusterrolebindings/system:basic-user`)).status, 200);
  const proxier = (await admin.get(`${API}/clusterroles/system:node-proxier`)).body.rules;
  assert.equal(proxier[0].resources, ['own']);
  assert.match(JSON.stringify(proxier), 'endpointslices');
  assert.equal((await admin.get(`${API}/clusterroles/system:kube-dns`)).body.rules ?? [], []);
  const before = (await admin.get(`${API}/clusterroles`)).body.metadata.resourceVersion;
  await stop();
  await start();
  const { items } = (await admin.get(`${API}/clusterroles`)).body;
  assert.ok(
    items.every(({ metadata }: Json) => Number(metadata.resourceVersion) <= Number(before)),
    'a start with nothing to do writes nothing',
  );
});

/** Requests that name what alice may not see in a way that a check could take for something else. She may read config maps, and /logs/*. */
const CONFIGMAP = '/api/v1/namespaces/default/configmaps/allowed';
const bypasses: [what: string, method: string, url: string, headers?: Record<string, string>][] = [
  ['another resource', 'GET', '/api/v1/namespaces/default/secrets'],
  ['another namespace', 'GET', '/api/v1/namespaces/kube-system/configmaps'],
  ['all namespaces', 'GET', '/api/v1/configmaps'],
  ['an encoded slash in the resource', 'GET', '/api/v1/namespaces/default/configmaps%2f..%2fsecrets'],
  ['an encoded slash in the namespace', 'GET', '/api/v1/namespaces/default%2fconfigmaps/secrets'],
  ['an encoded resource', 'GET', '/api/v1/namespaces/default/%73ecrets'],
  ['an encoded dot segment', 'GET', '/api/v1/namespaces/default/configmaps/%2e%2e/secrets'],
  ['a dot segment', 'GET', '/api/v1/namespaces/default/configmaps/../secrets'],
  ['a dot segment from a path that is open', 'GET', '/healthz/../api/v1/namespaces/default/secrets'],
  ['a double slash', 'GET', '/api/v1/namespaces/default//secrets'],
  ['a double slash at the start', 'GET', '//api/v1/namespaces/default/secrets'],
  ['upper case in the resource', 'GET', '/api/v1/namespaces/default/Secrets'],
  ['upper case in the path', 'GET', '/API/v1/namespaces/default/secrets'],
  ['a path parameter', 'GET', '/api/v1/namespaces/default/secrets;configmaps'],
  ['a null byte', 'GET', '/api/v1/namespaces/default/secrets%00configmaps'],
  ['a backslash', 'GET', '/api/v1/namespaces/default\\secrets'],
  ['a query that looks like a path', 'GET', '/api/v1/namespaces/default/secrets?/configmaps'],
  ['a name in the query', 'GET', '/api/v1/namespaces/default/secrets?fieldSelector=metadata.name%3Dallowed'],
  ['a deprecated watch', 'GET', '/api/v1/watch/namespaces/default/secrets'],
  ['a watch by a query', 'GET', '/api/v1/namespaces/default/secrets?watch=true'],
  ['a method override by header', 'GET', '/api/v1/namespaces/default/secrets', { 'x-http-method-override': 'OPTIONS' }],
  ['a write under a read', 'POST', '/api/v1/namespaces/default/configmaps', { 'x-http-method-override': 'GET' }],
  ['a delete under a read', 'DELETE', CONFIGMAP, { 'x-method-override': 'GET', 'x-http-method': 'GET' }],
  ['a delete by a query', 'DELETE', `${CONFIGMAP}?_method=GET`],
  [
    'the original address in a header',
    'GET',
    '/api/v1/namespaces/default/secrets',
    { 'x-original-url': CONFIGMAP, 'x-rewrite-url': CONFIGMAP },
  ],
  ['a subresource', 'GET', `${CONFIGMAP}/status`],
  ['the collection', 'DELETE', '/api/v1/namespaces/default/configmaps'],
  ['a path beside one that is open', 'GET', '/logs'],
  ['a path below, and out again', 'GET', '/metrics/../logs'],
  ['somebody else', 'GET', '/api/v1/namespaces/default/secrets', { 'impersonate-user': 'admin' }],
  [
    'the group of administrators',
    'GET',
    '/api/v1/namespaces/default/secrets',
    { 'impersonate-user': 'alice', 'impersonate-group': 'system:masters' },
  ],
  ['a group without a user', 'GET', '/api/v1/namespaces/default/secrets', { 'impersonate-group': 'system:masters' }],
  ['a proxy that it is not', 'GET', '/api/v1/namespaces/default/secrets', { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' }],
];

test('what alice may do, she may', async () => {
  await admin.put(`${ROLES}/reader`, role('reader', rule('configmaps', 'get', 'list')));
  await admin.post(BINDINGS, binding('reader'));
  await admin.post('/api/v1/namespaces/default/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'allowed' } });
  assert.is((await alice.get(CONFIGMAP)).status, 200);
  assert.is((await alice.get('/api/v1/namespaces/default/%63onfigmaps/allowed')).status, 200);
});

for (const [what, method, url, headers] of bypasses)
  test(`refused: ${what}`, async () => {
    const { status, text } = await alice.request(method, url, { ...(headers && { headers }), ...(method === 'POST' && { body: {} }) });
    assert.ok([400, 401, 403, 404, 405].includes(status), `${status} ${text}`);
    assert.not.match(text, '"items"');
  });

test('refused over HTTP/2 too, where a path may say anything', async () => {
  const session = http2.connect(server.url, { ca: authority(server) });
  try {
    for (const url of ['/api/v1/namespaces/default/secrets', '/healthz/../api/v1/secrets', '//api/v1/secrets', '/api/v1/%73ecrets']) {
      const request = session.request({ ':path': url, authorization: `Bearer ${server.tokens.alice}` });
      const status = await new Promise<number>((resolve, reject) => {
        request.on('response', (answer) => resolve(Number(answer[':status'])));
        request.on('error', reject);
      });
      request.resume();
      assert.ok([400, 403, 404].includes(status), `${url}: ${status}`);
    }
  } finally {
    session.close();
  }
});

const UNREADABLE: readonly [resource: string, kind: string, name: string, code: number, message: string][] = [
  ['rolebindings', 'Role', 'none', 404, 'rolebindings.rbac.authorization.cluster.io "none" not found'],
  ['rolebindings', 'Role', '', 400, 'Name parameter required.'],
  ['rolebindings', 'ClusterRole', 'a/b', 400, 'Name parameter invalid: "a/b": may not contain \'/\''],
  ['clusterrolebindings', 'ClusterRole', 'none', 404, 'clusterrolebindings.rbac.authorization.cluster.io "none" not found'],
  ['clusterrolebindings', 'ClusterRole', '', 400, 'Name parameter required.'],
  ['clusterrolebindings', 'Role', 'none', 400, 'Namespace parameter required.'],
  ['clusterrolebindings', 'Role', '', 400, 'Namespace parameter required.'],
];
test('whoever may not bind a role that cannot be read is told so before the binding is validated', async () => {
  const rules = [{ verbs: ['create'], apiGroups: ['rbac.authorization.cluster.io'], resources: ['rolebindings', 'clusterrolebindings'] }];
  const binders = { apiVersion, metadata: { name: 'binders' } };
  await admin.post(`${API}/clusterroles`, { ...binders, kind: 'ClusterRole', rules });
  const roleRef = { apiGroup: 'rbac.authorization.cluster.io', kind: 'ClusterRole', name: 'binders' };
  const subjects = [{ kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.cluster.io' }];
  await admin.post(`${API}/clusterrolebindings`, { ...binders, kind: 'ClusterRoleBinding', roleRef, subjects });
  for (const [resource, kind, name, code, message] of UNREADABLE) {
    const url = resource === 'rolebindings' ? BINDINGS : `${API}/${resource}`;
    const body = { metadata: { name: 'unreadable' }, roleRef: { ...roleRef, kind, name } };
    const answer = await eventually(
      () => alice.post(url, body),
      ({ status }) => status !== 403,
    );
    assert.equal([answer.status, answer.body.message], [code, message], `${resource} of ${kind} "${name}"`);
  }
});

test.run();
