import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('tokens of service accounts');
const server = await AskedServer.start();
test.before(async () => {
  await server.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
});
test.after(() => server.stop());

const PATH = '/api/v1/namespaces/default/serviceaccounts/robot/token';
const AUDIENCE = 'https://kubernetes.default.svc.cluster.local';
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
test('are made for an account, for a while', async () => {
  const { status, body } = await server.post(PATH, { spec: { audiences: ['x'], expirationSeconds: 3_600 } });
  assert.equal([status, body.kind, body.spec.expirationSeconds], [201, 'TokenRequest', 3_600]);
  const { aud, sub } = claimsOf(body.status.token);
  assert.equal([aud, sub], [['x'], 'system:serviceaccount:default:robot']);
});
test('end when they say', async () => {
  const before = Math.floor(Date.now() / 1_000);
  const { body } = await server.post(PATH, { spec: { expirationSeconds: 7_200 } });
  const end = Date.parse(body.status.expirationTimestamp) / 1_000;
  assert.is(end, claimsOf(body.status.token).exp);
  assert.ok(end >= before + 7_200 && end <= Date.now() / 1_000 + 7_200, body.status.expirationTimestamp);
});
test('name the object that they are bound to', async () => {
  const { body: node } = await server.post('/api/v1/nodes', { metadata: { name: 'bound' } });
  const pod = {
    metadata: { name: 'bound' },
    spec: { serviceAccountName: 'robot', nodeName: 'bound', containers: [{ name: 'c', image: 'i' }] },
  };
  const { body: made } = await server.post('/api/v1/namespaces/default/pods', pod);
  const held = async (kind: string): Promise<Record<string, unknown>> => {
    const { body } = await server.post(PATH, { spec: { boundObjectRef: { kind, apiVersion: 'v1', name: 'bound' } } });
    return claimsOf(body.status.token)['kubernetes.io'];
  };
  const [ofNode, ofPod] = [await held('Node'), await held('Pod')];
  assert.equal([ofNode.node, ofNode.pod], [{ name: 'bound', uid: node.metadata.uid }, undefined]);
  assert.equal([ofPod.node, ofPod.pod], [ofNode.node, { name: 'bound', uid: made.metadata.uid }]);
});
test('let the account in', async () => {
  const { body } = await server.post(PATH, { spec: {} });
  assert.ok(body.spec.audiences.length > 0, AUDIENCE);
  const who = await server.ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    body: {},
    headers: { authorization: `Bearer ${body.status.token}` },
  });
  assert.is(who.body.status.userInfo.username, 'system:serviceaccount:default:robot');
});
const refusals: readonly [what: string, path: string, spec: object, status: number][] = [
  ['an account that is not there', PATH.replace('s/robot/t', 's/none/t'), {}, 404],
  ['too short a time', PATH, { expirationSeconds: 1 }, 422],
  ['an object that is not there', PATH, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } }, 404],
  [
    'an object of a kind that every object of JavaScript has',
    PATH,
    { boundObjectRef: { kind: 'constructor', apiVersion: 'v1', name: 'x' } },
    400,
  ],
  [
    'an object that is not there, of a version that names no group',
    PATH,
    { boundObjectRef: { kind: 'Pod', apiVersion: 'a/b/c', name: 'none' } },
    404,
  ],
  ['an object of another group', PATH, { boundObjectRef: { kind: 'Pod', apiVersion: 'a/b', name: 'none' } }, 400],
  ['an object of another kind', PATH, { boundObjectRef: { kind: 'Service', apiVersion: 'v1', name: 'x' } }, 400],
];
for (const [what, path, spec, status] of refusals)
  test(`refuses ${what}`, async () => assert.is((await server.post(path, { spec })).status, status));

for (const seconds of ['9007199254740993', '9223372036854775807', '-9007199254740993'])
  test(`refuses a time of ${seconds} s`, async () => {
    const { status, body } = await server.post(PATH, `{"spec":{"expirationSeconds":${seconds}}}`);
    const limit = seconds.startsWith('-') ? 'less than 10 minutes' : 'larger than 2^32 seconds';
    assert.equal([status, body.details.causes[0].message], [422, `Invalid value: ${seconds}: may not specify a duration ${limit}`]);
  });

const ofNode = { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'none' } };
test('are made for nodes where the gate is on', async () => {
  assert.is((await server.post(PATH, { spec: ofNode })).status, 404);
  const ungated = await AskedServer.start('kubernetes', { 'feature-gates': { ServiceAccountTokenNodeBinding: false } });
  await ungated.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const { status, body } = await ungated.post(PATH, { spec: ofNode });
  const ofPod = await ungated.post(PATH, { spec: { boundObjectRef: { ...ofNode.boundObjectRef, kind: 'Pod' } } });
  await ungated.stop();
  assert.is(ofPod.status, 404);
  assert.equal(
    [status, body.message],
    [400, 'cannot bind token to a Node object as the "ServiceAccountTokenNodeBinding" feature-gate is disabled'],
  );
});

test.run();
