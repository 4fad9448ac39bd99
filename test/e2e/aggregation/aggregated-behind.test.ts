/** An aggregated server behind the server that delegates to it: clients talk to that one alone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LAMPS_GROUP, startAggregatedServer } from '../../harness/aggregated-server.ts';
import { authority, Client, type Json } from '../../harness/client.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { startServer } from '../../harness/server.ts';

const folder = new OpenSsl();
const proxies = folder.authority('proxies');
const front = folder.leaf({ subject: '/CN=front', issuer: proxies });
const delegating = await startServer({
  dialect: 'kubernetes',
  flags: [
    `--requestheader-client-ca-file=${proxies.certificateFile}`,
    '--requestheader-allowed-names=front',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${front.certificateFile}`,
    `--proxy-client-key-file=${front.keyFile}`,
  ],
});
const admin = new Client(delegating);
const alice = new Client(delegating, delegating.tokens.alice);
const TRUST = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
await until(
  'the config map has the proxies',
  async () => (await admin.get(TRUST)).body.data?.['requestheader-client-ca-file'] !== undefined,
);
const aggregated = await startAggregatedServer(delegating, {
  flags: [
    '--external-hostname=lights.default.svc',
    '--authorization-webhook-cache-authorized-ttl=0s',
    '--authorization-webhook-cache-unauthorized-ttl=0s',
  ],
});
const LAMPS = `/apis/${LAMPS_GROUP}/v1/namespaces/default/lamps`;
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const POLICIES = '/apis/admissionregistration.k8s.io/v1';
const APISERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries++, await sleep(50)) if (await holds()) return;
  throw new Error(`in 20 seconds it did not come true that ${what}`);
}

async function made(path: string, object: object): Promise<Json> {
  const { status, body, text } = await admin.post(path, object);
  assert.is(status, 201, text);
  return body;
}

const lamp = (name: string, metadata: object = {}): object => ({
  apiVersion: `${LAMPS_GROUP}/v1`,
  kind: 'Lamp',
  metadata: { name, ...metadata },
  spec: {},
});

const test = suite('an aggregated server behind another one');
test('is found by its APIServices', async () => {
  await made('/api/v1/namespaces/default/services', {
    metadata: { name: 'lights' },
    spec: { type: 'ExternalName', externalName: 'localhost', ports: [{ port: aggregated.port }] },
  });
  for (const [version, versionPriority] of [
    ['v1', 20],
    ['v1beta1', 10],
  ] as const)
    await made(APISERVICES, {
      metadata: { name: `${version}.${LAMPS_GROUP}` },
      spec: {
        group: LAMPS_GROUP,
        version,
        groupPriorityMinimum: 1000,
        versionPriority,
        service: { namespace: 'default', name: 'lights', port: aggregated.port },
        caBundle: Buffer.from(authority(aggregated)).toString('base64'),
      },
    });
  const state = async (): Promise<Json> => (await admin.get(`${APISERVICES}/v1.${LAMPS_GROUP}`)).body.status?.conditions?.[0];
  await until(`it is available: ${JSON.stringify(await state())}`, async () => (await state())?.status === 'True');
  await until('its versions are discovered', async () => {
    const { body } = await admin.get('/apis', { accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' });
    const group = body.items.find(({ metadata }: Json) => metadata.name === LAMPS_GROUP);
    return group?.versions.every(({ freshness, resources }: Json) => freshness === 'Current' && resources?.[0].resource === 'lamps');
  });
});
test('knows who asks, by the headers of the other server', async () => {
  const refused = await alice.post(LAMPS, lamp('refused'));
  assert.is(refused.status, 403);
  await made(`${RBAC}/clusterroles`, {
    metadata: { name: 'lamps' },
    rules: [{ apiGroups: [LAMPS_GROUP], resources: ['*'], verbs: ['*'] }],
  });
  await made(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'lamps' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'lamps' },
    subjects: [{ kind: 'User', name: 'alice' }],
  });
  await made(`${POLICIES}/validatingadmissionpolicies`, {
    metadata: { name: 'who' },
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [LAMPS_GROUP], apiVersions: ['*'], operations: ['CREATE'], resources: ['lamps'] }] },
      validations: [
        {
          expression: 'object.metadata.name != "who"',
          messageExpression: 'request.userInfo.username + " of " + request.userInfo.groups.join(" ")',
        },
      ],
    },
  });
  await made(`${POLICIES}/validatingadmissionpolicybindings`, {
    metadata: { name: 'who' },
    spec: { policyName: 'who', validationActions: ['Deny'] },
  });
  let message = '';
  await until('the policy tells', async () => {
    message = (await alice.post(LAMPS, lamp('who'))).body.message ?? '';
    if (message === '') await alice.delete(`${LAMPS}/who`);
    return message !== '';
  });
  assert.ok(message.endsWith('alice of dev qa system:authenticated'), message);
});
test('stores, applies, lists and deletes for the clients of the other server', async () => {
  const created = await alice.post(LAMPS, lamp('hall'));
  assert.is(created.status, 201, created.text);
  assert.is(created.body.spec.colour, 'White');
  const applied = await alice.patch(
    `${LAMPS}/hall?fieldManager=me&force=true`,
    { ...lamp('hall'), spec: { colour: 'Amber' } },
    'application/apply-patch',
    {
      'content-type': 'application/apply-patch+yaml',
    },
  );
  assert.is(applied.body.spec?.colour, 'Amber', applied.text);
  assert.is((await alice.get(`${LAMPS.replace('/v1/', '/v1beta1/')}/hall`)).body.apiVersion, `${LAMPS_GROUP}/v1beta1`);
  const unknown = await alice.post(LAMPS.replace('default', 'nowhere'), lamp('one'));
  assert.equal([unknown.status, unknown.body.message], [404, 'namespaces "nowhere" not found']);
  assert.is((await alice.delete(`${LAMPS}/hall`)).status, 200);
});
test('tells watches of changes as they happen', async () => {
  const watch = await alice.watch(`${LAMPS}?watch=1`);
  assert.is((await alice.post(LAMPS, lamp('porch'))).status, 201);
  assert.is((await watch.until(({ type }) => type === 'ADDED')).object.metadata.name, 'porch');
  assert.is((await alice.delete(`${LAMPS}/porch`)).status, 200);
  assert.is((await watch.until(({ type }) => type === 'DELETED')).object.metadata.name, 'porch');
  watch.close();
});
test('loses what is in a namespace that is deleted, as far as finalizers let it', async () => {
  await made('/api/v1/namespaces', { metadata: { name: 'cellar' } });
  const cellar = LAMPS.replace('default', 'cellar');
  for (const name of ['a', 'b']) await until(`lamp ${name} is there`, async () => (await alice.post(cellar, lamp(name))).status === 201);
  assert.is((await alice.post(cellar, lamp('held', { finalizers: ['example.com/held'] }))).status, 201);
  assert.is((await admin.delete('/api/v1/namespaces/cellar')).status, 200);
  await until('two are gone, and one is held', async () => {
    const { body } = await alice.get(cellar);
    return body.items.length === 1 && body.items[0].metadata.deletionTimestamp !== undefined;
  });
  const condition = async (type: string): Promise<Json> =>
    (await admin.get('/api/v1/namespaces/cellar')).body.status?.conditions?.find((each: Json) => each.type === type);
  await until('the namespace tells what remains', async () => (await condition('NamespaceContentRemaining'))?.status === 'True');
  assert.is(
    (await condition('NamespaceContentRemaining')).message,
    `Some resources are remaining: lamps.${LAMPS_GROUP} has 1 resource instances`,
  );
  assert.is(
    (await condition('NamespaceFinalizersRemaining')).message,
    'Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances',
  );
  assert.is((await alice.patch(`${cellar}/held`, { metadata: { finalizers: null } })).status, 200);
  await until('the namespace has gone', async () => (await admin.get('/api/v1/namespaces/cellar')).status === 404);
});
test('has objects whose owners the other server has, and the other way round', async () => {
  await made(`${RBAC}/clusterroles`, {
    metadata: { name: 'owners' },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
  });
  await made(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'owners' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'owners' },
    subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'lights' }],
  });
  const MAPS = '/api/v1/namespaces/default/configmaps';
  const nobody = '11111111-2222-3333-4444-555555555555';
  const socket = await made(MAPS, { metadata: { name: 'socket' } });
  const { body: owner } = await alice.post(LAMPS, lamp('owner'));
  const byMap = (uid: string): object => ({ ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'socket', uid }] });
  const byLamp = (uid: string): object => ({ ownerReferences: [{ apiVersion: `${LAMPS_GROUP}/v1`, kind: 'Lamp', name: 'owner', uid }] });
  assert.is((await alice.post(LAMPS, lamp('owned', byMap(socket.metadata.uid)))).status, 201);
  assert.is((await alice.post(LAMPS, lamp('lost', byMap(nobody)))).status, 201);
  await made(MAPS, { metadata: { name: 'owned', ...byLamp(owner.metadata.uid) } });
  await made(MAPS, { metadata: { name: 'lost', ...byLamp(nobody) } });
  await until('what nobody owns has gone', async () => {
    const answers = await Promise.all([alice.get(`${LAMPS}/lost`), admin.get(`${MAPS}/lost`)]);
    return answers.every(({ status }) => status === 404);
  });
  assert.is((await alice.get(`${LAMPS}/owned`)).status, 200);
  assert.is((await admin.get(`${MAPS}/owned`)).status, 200);
});
test('keeps namespaces from going that nobody knows to be empty, once it has gone itself', async () => {
  await made('/api/v1/namespaces', { metadata: { name: 'attic' } });
  assert.equal(aggregated.faults(), []);
  assert.is(await aggregated.stop(), 0);
  // so that nobody has to wait for the next look
  assert.is(
    (await admin.patch('/api/v1/namespaces/default/services/lights', { metadata: { annotations: { look: 'again' } } })).status,
    200,
  );
  await until('its APIServices are not available', async () => {
    const { body } = await admin.get(APISERVICES);
    const remote = body.items.filter(({ spec }: Json) => spec.group === LAMPS_GROUP);
    return remote.every(({ status }: Json) => status.conditions[0].status === 'False');
  });
  assert.is((await alice.get(LAMPS)).status, 503);
  assert.is((await admin.delete('/api/v1/namespaces/attic')).status, 200);
  let condition: Json;
  await until('the namespace tells why it stays', async () => {
    const { body } = await admin.get('/api/v1/namespaces/attic');
    condition = body.status?.conditions?.find(({ type }: Json) => type === 'NamespaceDeletionDiscoveryFailure');
    return condition?.status === 'True';
  });
  const stale = (version: string): string => `${LAMPS_GROUP}/${version}: stale GroupVersion discovery: ${LAMPS_GROUP}/${version}`;
  assert.equal(
    [condition.reason, condition.message],
    [
      'DiscoveryFailed',
      `Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: ${stale('v1')}, ${stale('v1beta1')}`,
    ],
  );
  for (const version of ['v1', 'v1beta1']) assert.is((await admin.delete(`${APISERVICES}/${version}.${LAMPS_GROUP}`)).status, 200);
  await until('the namespace has gone', async () => (await admin.get('/api/v1/namespaces/attic')).status === 404);
});
test('leaves the other one without faults', async () => {
  assert.equal(delegating.faults(), []);
  assert.is(await delegating.stop(), 0);
});
test.run();
