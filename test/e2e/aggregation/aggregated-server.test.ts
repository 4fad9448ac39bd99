/** An aggregated server beside the server that delegates to it: who asks and who may is said by the other one, as long as it is there. */
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountToken, LAMPS_GROUP, startAggregatedServer } from '../../harness/aggregated-server.ts';
import { type Answer, authority, Client, type Json } from '../../harness/client.ts';
import { type MadeCertificate, OpenSsl } from '../../harness/openssl.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const folder = new OpenSsl();
const users = folder.authority('users');
const proxies = folder.authority('proxies');
const otherProxies = folder.authority('other-proxies');
const carol = folder.leaf({ subject: '/O=lamp-readers/CN=carol', issuer: users });
const gate = folder.leaf({ subject: '/CN=gate', issuer: proxies });
const door = folder.leaf({ subject: '/CN=door', issuer: proxies });
const otherGate = folder.leaf({ subject: '/CN=gate', issuer: otherProxies });

const delegating = await startServer({
  dialect: 'kubernetes',
  flags: [`--client-ca-file=${users.certificateFile}`],
});
const admin = new Client(delegating);

const TRUST = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const LAMPS = `/apis/${LAMPS_GROUP}/v1/namespaces/default/lamps`;

async function made(path: string, object: object): Promise<Json> {
  const { status, body, text: answer } = await admin.post(path, object);
  assert.is(status, 201, answer);
  return body;
}

/** What the delegating server says of authenticating proxies: this server has none of its own, so it leaves that to us. */
async function trustProxies(certificates: string): Promise<void> {
  const data = {
    'requestheader-client-ca-file': certificates,
    'requestheader-allowed-names': '["gate"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  };
  await until('the config map is there', async () => (await admin.patch(TRUST, { data })).status === 200);
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++, await sleep(50)) if (await holds()) return;
  throw new Error(`in 15 seconds it did not come true that ${what}`);
}

await trustProxies(proxies.certificate);
for (const name of ['reader', 'gone', 'writer']) await made('/api/v1/namespaces/default/serviceaccounts', { metadata: { name } });
const role = (name: string, verbs: string[]) =>
  made(`${RBAC}/clusterroles`, { metadata: { name }, rules: [{ apiGroups: [LAMPS_GROUP], resources: ['lamps', 'lamps/status'], verbs }] });
await role('lamp-reader', ['get', 'list', 'watch']);
await role('lamp-writer', ['*']);
const bind = (name: string, roleName: string, subjects: object[]) =>
  made(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName },
    subjects,
  });
const account = (name: string) => ({ kind: 'ServiceAccount', namespace: 'default', name });
await bind('lamp-readers', 'lamp-reader', [{ kind: 'Group', name: 'lamp-readers' }, account('reader'), account('gone')]);
await bind('lamp-writers', 'lamp-writer', [account('writer')]);

const TTL = 2_000;
/** Two of them: one forgets soon, the other one not while this test runs. */
const [forgetful, lasting] = await Promise.all([
  startAggregatedServer(delegating, {
    account: 'forgetful',
    flags: [
      `--authentication-token-webhook-cache-ttl=${TTL}ms`,
      '--authorization-webhook-cache-authorized-ttl=0s',
      '--authorization-webhook-cache-unauthorized-ttl=0s',
    ],
  }),
  startAggregatedServer(delegating, {
    account: 'lasting',
    flags: [
      '--authentication-token-webhook-cache-ttl=1h',
      '--authorization-webhook-cache-authorized-ttl=1h',
      '--authorization-webhook-cache-unauthorized-ttl=1h',
    ],
  }),
]);
const [reader, gone, writer] = await Promise.all(['reader', 'gone', 'writer'].map((name) => accountToken(admin, name)));
const as = (server: TestServer, token: string | undefined): Client => new Client(server, token ?? '');
const lamp = (name: string, spec: object = {}): object => ({
  apiVersion: `${LAMPS_GROUP}/v1`,
  kind: 'Lamp',
  metadata: { name },
  spec,
});

/** A GET on a connection of its own. */
function ask(
  server: TestServer,
  certificate: MadeCertificate | undefined,
  headers: Record<string, string> = {},
  where = LAMPS,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const tls = certificate && { cert: certificate.certificate, key: certificate.key };
  const request = https.request(server.url + where, { headers, ca: authority(server), agent: false, ...tls }, async (response) => {
    const body = Buffer.concat(await response.toArray()).toString();
    resolve({ status: response.statusCode as number, headers: response.headers, body: undefined, text: body });
  });
  request.on('error', reject);
  request.end();
  return promise;
}

const DAVE = { 'x-remote-user': 'dave', 'x-remote-group': 'lamp-readers' };

const serving = suite('an aggregated server');
serving('serves its own groups and no others', async () => {
  const client = as(forgetful, writer);
  const { body } = await client.get('/apis');
  assert.equal(
    body.groups.map(({ name, versions }: Json) => [name, versions.map(({ version }: Json) => version)]),
    [[LAMPS_GROUP, ['v1', 'v1beta1']]],
  );
  assert.equal((await client.get('/api')).body.versions, []);
  const document = await client.get(`/openapi/v3/apis/${LAMPS_GROUP}/v1`);
  assert.equal(document.body.components.schemas['com.example.lights.v1.Lamp'].properties.spec.properties.colour.default, 'White');
});
serving('stores objects with their defaults, refuses wrong ones, shows columns and has other versions', async () => {
  const client = as(forgetful, writer);
  const created = await client.post(LAMPS, lamp('one'));
  assert.is(created.status, 201, created.text);
  assert.is(created.body.spec.colour, 'White');
  const wrong = await client.post(LAMPS, lamp('wrong', { colour: 'Blue' }));
  assert.is(wrong.status, 422, wrong.text);
  assert.match(wrong.body.message, 'spec.colour: Unsupported value: "Blue"');
  const table = await client.get(LAMPS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  assert.equal(table.body.rows[0].cells, ['one', 'White']);
  const older = await client.get(`${LAMPS.replace('/v1/', '/v1beta1/')}/one`);
  assert.is(older.body.apiVersion, `${LAMPS_GROUP}/v1beta1`);
  const lit = await client.patch(`${LAMPS}/one/status`, { status: { lit: true } });
  assert.is(lit.body.status?.lit, true, lit.text);
});
serving('tells watches of changes', async () => {
  const watch = await as(forgetful, reader).watch(`${LAMPS}?watch=1&resourceVersion=0`);
  assert.is((await watch.next()).object.metadata.name, 'one');
  assert.is((await as(forgetful, writer).post(LAMPS, lamp('two', { colour: 'Amber' }))).status, 201);
  const { type, object } = await watch.next();
  assert.equal([type, object.metadata.name, object.spec.colour], ['ADDED', 'two', 'Amber']);
  watch.close();
});
serving('asks the other server for namespaces', async () => {
  const client = as(forgetful, writer);
  const nowhere = await client.post(LAMPS.replace('default', 'nowhere'), lamp('one'));
  assert.equal([nowhere.status, nowhere.body.message], [404, 'namespaces "nowhere" not found']);
  await made('/api/v1/namespaces', { metadata: { name: 'here' } });
  const here = await client.post(LAMPS.replace('default', 'here'), lamp('one'));
  assert.is(here.status, 201, here.text);
});
serving('makes nothing in a namespace that is going', async () => {
  await made('/api/v1/namespaces', { metadata: { name: 'going' } });
  await made('/api/v1/namespaces/going/configmaps', { metadata: { name: 'stays', finalizers: ['example.com/stays'] } });
  assert.is((await admin.delete('/api/v1/namespaces/going')).status, 200);
  const client = as(forgetful, writer);
  await until('the namespace is known to be going', async () => {
    const { status, body } = await client.post(LAMPS.replace('default', 'going'), lamp(`l${Date.now()}`));
    return status === 403 && body.details.causes[0].reason === 'NamespaceTerminating';
  });
});
serving('deletes what the deleted owned, and nothing that others own', async () => {
  const client = as(forgetful, writer);
  const { body: owner } = await client.post(LAMPS, lamp('owner'));
  const owned = (name: string, reference: object): Json => {
    const object = lamp(name) as Json;
    object.metadata.ownerReferences = [reference];
    return object;
  };
  const own = { apiVersion: `${LAMPS_GROUP}/v1`, kind: 'Lamp', name: 'owner', uid: owner.metadata.uid };
  const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'far', uid: 'a0000000-0000-0000-0000-000000000000' };
  for (const object of [owned('owned', own), owned('foreign', foreign)]) assert.is((await client.post(LAMPS, object)).status, 201);
  assert.is((await client.delete(`${LAMPS}/owner`)).status, 200);
  await until('the lamp has gone with its owner', async () => (await client.get(`${LAMPS}/owned`)).status === 404);
  assert.is((await client.get(`${LAMPS}/foreign`)).status, 200);
});
serving('asks the webhooks of the other server', async () => {
  const hookKey = folder.leaf({ subject: '/CN=hook', issuer: users, usage: 'serverAuth', host: '127.0.0.1' });
  const asked: Json[] = [];
  await using hooks = new AsyncDisposableStack();
  const hook = https.createServer({ cert: hookKey.certificate, key: hookKey.key }, async (request, response) => {
    const review = JSON.parse(Buffer.concat(await request.toArray()).toString());
    asked.push(review);
    const allowed = review.request.object.spec.colour !== 'Amber';
    response.end(JSON.stringify({ ...review, response: { uid: review.request.uid, allowed, status: { message: 'no amber lamps' } } }));
  });
  hooks.defer(() => {
    hook.close();
    hook.closeAllConnections();
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as { port: number };
  await made('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', {
    metadata: { name: 'lamps' },
    webhooks: [
      {
        name: 'lamps.example.com',
        clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(users.certificate).toString('base64') },
        rules: [{ apiGroups: [LAMPS_GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['lamps'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'here' } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  });
  const client = as(forgetful, writer);
  const here = LAMPS.replace('default', 'here');
  await until('the webhook refuses', async () => {
    const { body } = await client.post(here, lamp(`l${Date.now()}`, { colour: 'Amber' }));
    return body.message === 'admission webhook "lamps.example.com" denied the request: no amber lamps';
  });
  assert.is((await client.post(here, lamp('white'))).status, 201);
  assert.is((await client.post(LAMPS, lamp('amber', { colour: 'Amber' }))).status, 201, 'in another namespace');
  assert.ok(asked.every(({ request }) => request.userInfo.username === 'system:serviceaccount:default:writer'));
  assert.is((await admin.delete('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/lamps')).status, 200);
});

serving('holds writes against the policies of the other server and their parameters, which only that one has', async () => {
  const POLICIES = '/apis/admissionregistration.k8s.io/v1';
  await made('/api/v1/namespaces/default/configmaps', { metadata: { name: 'colours' }, data: { forbidden: 'Amber' } });
  await made(`${RBAC}/clusterroles`, {
    metadata: { name: 'parameters' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }],
  });
  await bind('parameters', 'parameters', [account('forgetful')]);
  await made(`${POLICIES}/validatingadmissionpolicies`, {
    metadata: { name: 'colours' },
    spec: {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: { resourceRules: [{ apiGroups: [LAMPS_GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['lamps'] }] },
      validations: [{ expression: 'object.spec.colour != params.data.forbidden', messageExpression: '"no " + params.data.forbidden' }],
    },
  });
  await made(`${POLICIES}/validatingadmissionpolicybindings`, {
    metadata: { name: 'colours' },
    spec: {
      policyName: 'colours',
      validationActions: ['Deny'],
      paramRef: { name: 'colours', namespace: 'default', parameterNotFoundAction: 'Deny' },
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'here' } } },
    },
  });
  const client = as(forgetful, writer);
  const here = LAMPS.replace('default', 'here');
  const refusal = async (colour: string): Promise<string> => {
    const { body } = await client.post(here, lamp(`l${Date.now()}`, { colour }));
    return body.message ?? '';
  };
  await until('the policy refuses', async () =>
    (await refusal('Amber')).endsWith("'colours' with binding 'colours' denied request: no Amber"),
  );
  assert.is(await refusal('White'), '');
  assert.is((await admin.patch('/api/v1/namespaces/default/configmaps/colours', { data: { forbidden: 'White' } })).status, 200);
  await until('the other colour is refused', async () => (await refusal('White')).endsWith('denied request: no White'));
  assert.is(await refusal('Amber'), '');
  assert.is((await client.post(LAMPS, lamp('white-elsewhere'))).status, 201);
  assert.is((await admin.delete(`${POLICIES}/validatingadmissionpolicybindings/colours`)).status, 200);
  assert.is((await admin.delete(`${POLICIES}/validatingadmissionpolicies/colours`)).status, 200);
});

const who = suite('who asks an aggregated server');
who('is whose token it is, at the other server, which says what they may', async () => {
  assert.is((await as(forgetful, reader).get(LAMPS)).status, 200);
  const { status, body } = await as(forgetful, reader).post(LAMPS, lamp('refused'));
  assert.is(status, 403);
  assert.match(
    body.message,
    `lamps.${LAMPS_GROUP} is forbidden: User "system:serviceaccount:default:reader" cannot create resource "lamps" in API group "${LAMPS_GROUP}" in the namespace "default"`,
  );
});
who('is nobody by a token that the other server does not know', async () => {
  assert.is((await as(forgetful, 'unknown').get(LAMPS)).status, 401);
  assert.is((await as(forgetful, 'unknown').get('/healthz')).status, 401);
});
who('is anonymous without credentials, and may look at its health alone', async () => {
  assert.is((await as(forgetful, '').get('/healthz')).text, 'ok');
  assert.is((await as(forgetful, '').get('/livez')).status, 200);
  const { status, body } = await as(forgetful, '').get(LAMPS);
  assert.is(status, 403);
  assert.match(body.message, 'User "system:anonymous" cannot list');
});
who('is an administrator of the other server', async () =>
  assert.is((await as(forgetful, delegating.tokens.admin).get(LAMPS)).status, 200),
);
who('is counted, as what the other server was asked', async () => {
  const { text } = await as(forgetful, delegating.tokens.admin).get('/metrics');
  for (const name of ['authn', 'authz'])
    assert.match(text, new RegExp(`^apiserver_delegated_${name}_request_total\\{code="201"\\} [1-9]`, 'm'));
  assert.match(text, /^apiserver_delegated_authz_request_duration_seconds_count\{code="201"\} [1-9]/m);
});
who('is named by a client certificate that the other server would take', async () => {
  assert.is((await ask(forgetful, carol)).status, 200);
  const other = await ask(forgetful, folder.leaf({ subject: '/CN=carl', issuer: users }));
  assert.is(other.status, 403);
  assert.match(other.text, 'User \\"carl\\" cannot list');
});
who('is named by the headers of the proxy that the other server trusts, and of nobody else', async () => {
  assert.is((await ask(forgetful, gate, DAVE)).status, 200);
  const refused = await ask(forgetful, gate, { 'x-remote-user': 'dave' });
  assert.match(refused.text, 'User \\"dave\\" cannot list');
  assert.is((await ask(forgetful, door, DAVE)).status, 401, 'of another name');
  assert.is((await ask(forgetful, otherGate, DAVE)).status, 401, 'of another authority');
  assert.is(
    (await ask(forgetful, folder.leaf({ subject: '/CN=gate', issuer: users }), DAVE)).status,
    403,
    'an authority of users signs no proxies',
  );
  const without = await ask(forgetful, undefined, DAVE);
  assert.is(without.status, 403);
  assert.match(without.text, 'system:anonymous');
  const own = await ask(forgetful, undefined, { ...DAVE, authorization: `Bearer ${writer}` }, `${LAMPS}/none`);
  assert.is(own.status, 404, 'the token counts');
});
who('is nobody any more soon after the account of a token has gone', async () => {
  const client = as(forgetful, gone);
  const begun = Date.now();
  assert.is((await client.get(LAMPS)).status, 200);
  assert.is((await admin.delete('/api/v1/namespaces/default/serviceaccounts/gone')).status, 200);
  const { status } = await client.get(LAMPS);
  if (Date.now() - begun < TTL) assert.is(status, 200, 'the answer is kept for a while');
  await until('the token is refused', async () => (await client.get(LAMPS)).status === 401);
  assert.ok(Date.now() - begun >= TTL, 'not before the answer ends');
});
who('may no more what the other server has taken back', async () => {
  assert.is((await ask(forgetful, carol)).status, 200);
  const { body } = await admin.get(`${RBAC}/clusterrolebindings/lamp-readers`);
  assert.is((await admin.put(`${RBAC}/clusterrolebindings/lamp-readers`, { ...body, subjects: body.subjects.slice(1) })).status, 200);
  assert.is((await ask(forgetful, carol)).status, 403);
  const { body: later } = await admin.get(`${RBAC}/clusterrolebindings/lamp-readers`);
  assert.is((await admin.put(`${RBAC}/clusterrolebindings/lamp-readers`, { ...later, subjects: body.subjects })).status, 200);
});
who('is judged by other authorities as soon as the config map has them', async () => {
  await trustProxies(otherProxies.certificate);
  await until('the new proxy is trusted', async () => (await ask(forgetful, otherGate, DAVE)).status === 200);
  assert.is((await ask(forgetful, gate, DAVE)).status, 401, 'the one before is not');
  await admin.patch(TRUST, { data: { 'requestheader-client-ca-file': 'no certificate', 'requestheader-username-headers': '["X-Name"]' } });
  const named = { 'x-name': 'dave', 'x-remote-group': 'lamp-readers' };
  await until('the new header counts', async () => (await ask(forgetful, otherGate, named)).status === 200);
  assert.is((await ask(forgetful, otherGate, DAVE)).status, 401, 'a header that counts no more names nobody');
  await trustProxies(proxies.certificate);
  await until('the first proxy is trusted again', async () => (await ask(forgetful, gate, DAVE)).status === 200);
});

const alone = suite('an aggregated server whose other server is down');
alone('goes on with the answers that it has, and takes nobody else in', async () => {
  const [known, unknown] = [as(lasting, writer), as(lasting, reader)];
  assert.is((await known.post(LAMPS, lamp('kept'))).status, 201);
  assert.is((await ask(lasting, carol)).status, 200);
  assert.is((await known.get(LAMPS)).status, 200);
  const watch = await known.watch(`${LAMPS}?watch=1&resourceVersion=0`);
  assert.is((await watch.next()).object.metadata.name, 'kept');
  assert.is(await delegating.stop(), 0);

  assert.is((await known.get(LAMPS)).status, 200);
  assert.is((await ask(lasting, carol)).status, 200);
  const outcomes = Promise.all([
    unknown.get(LAMPS),
    ask(lasting, folder.leaf({ subject: '/CN=erin', issuer: users })),
    known.get(`/apis/${LAMPS_GROUP}/v1/lamps`),
  ]);
  const elsewhere = await known.post(LAMPS.replace('default', 'elsewhere'), lamp('one'));
  const [token, certificate, undecided] = await outcomes;
  assert.is(token.status, 401, 'nobody says whose token it is');
  assert.is(certificate.status, 500, 'nobody says what they may');
  assert.is(undecided.status, 500);
  assert.match(undecided.body.message, 'it could not be found out whether the request is allowed');
  assert.is(elsewhere.status, 500, elsewhere.text);
  const again = await known.patch(`${LAMPS}/kept`, { spec: { colour: 'Amber' } });
  assert.is(again.status, 500, 'a verb that nobody has decided on');
  assert.is((await known.post(LAMPS, lamp('more'))).status, 201, 'one that somebody has');
  assert.is((await watch.next()).object.metadata.name, 'more');
  watch.close();
  assert.is((await as(lasting, '').get('/readyz')).status, 200);
});
alone('ends cleanly', async () => {
  for (const server of [forgetful, lasting]) {
    assert.equal(server.faults(), []);
    assert.is(await server.stop(), 0);
  }
});

serving.run();
who.run();
alone.run();
