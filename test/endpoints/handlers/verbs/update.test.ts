import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, refusal } from '../asked-server.ts';

const test = suite('PUT of one object');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

const store = (name: string, data: object = {}) => server.post(MAPS, map(name, data));
const put = (name: string, body: unknown) => server.ask('PUT', `${MAPS}/${name}`, { body });
test('replaces all but what the server alone writes', async () => {
  const { body: made } = await store('a', { x: '1' });
  const { status, body } = await put('a', map('a', { y: '2' }));
  assert.equal([status, body.data, body.metadata.uid], [200, { y: '2' }, made.metadata.uid]);
  assert.is.not(body.metadata.resourceVersion, made.metadata.resourceVersion);
});
test('writes nothing where nothing changes', async () => {
  const { body: made } = await store('same', { x: '1' });
  const { body } = await put('same', made);
  assert.is(body.metadata.resourceVersion, made.metadata.resourceVersion);
});
const POLICIES = '/apis/networking.k8s.io/v1/namespaces/default/networkpolicies';
const counted: readonly [what: string, spec: object, generations: readonly number[]][] = [
  ['an empty list', { podSelector: {}, ingress: [] }, [1, 2, 3]],
  ['an empty map within', { podSelector: { matchLabels: {} } }, [1, 2, 3]],
  ['an empty list that a default fills', { podSelector: {}, policyTypes: [] }, [1, 1, 1]],
  ['nothing empty', { podSelector: {} }, [1, 1, 1]],
];
for (const [what, spec, generations] of counted)
  test(`counts ${what} of a kind that is compared by reflection`, async () => {
    const body = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: what.replaceAll(' ', '-') }, spec };
    const path = `${POLICIES}/${body.metadata.name}`;
    const answers = [await server.post(POLICIES, body), await server.ask('PUT', path, { body }), await server.ask('PUT', path, { body })];
    const found = answers.map(({ body: { metadata } }) => metadata.generation);
    assert.equal(found, generations);
  });
const CORE = '/api/v1/namespaces/default';
const IMMUTABLE = 'field is immutable when `immutable` is set';
const seen: readonly [what: string, path: string, object: object, sent: object, refusal?: string][] = [
  [
    'parameters of a class',
    '/apis/storage.k8s.io/v1/storageclasses',
    { provisioner: 'p' },
    { parameters: {} },
    'updates to parameters are forbidden.',
  ],
  ['data of an immutable secret', `${CORE}/secrets`, { immutable: true }, { data: {} }, IMMUTABLE],
  ['data of another secret', `${CORE}/secrets`, {}, { data: {} }],
  ['binary data of an immutable map', MAPS, { immutable: true }, { binaryData: {} }, IMMUTABLE],
  ['null in them', MAPS, { immutable: true, binaryData: { a: '' } }, { binaryData: { a: null } }, IMMUTABLE],
  ['what they hold', MAPS, { immutable: true, binaryData: { a: '' } }, { binaryData: { a: '' } }],
  ['data of an immutable map, which a default fills', MAPS, { immutable: true }, { data: {} }],
];
for (const [what, path, object, sent, refused] of seen)
  test(`${refused === undefined ? 'takes' : 'refuses'} as an empty value the ${what}`, async () => {
    const name = `seen-${seen.findIndex((row) => row[0] === what)}`;
    const { body } = await server.post(path, { metadata: { name }, ...object });
    const answer = await server.ask('PUT', `${path}/${name}`, { body: { ...body, ...sent } });
    const outcome = refused === undefined ? body.metadata.resourceVersion : `${Object.keys(sent)}: Forbidden: ${refused}`;
    assert.is(answer.body.metadata.resourceVersion ?? answer.body.message.split(' is invalid: ')[1], outcome);
  });
test('is refused where another writer was faster', async () => {
  const { body: made } = await store('b');
  await put('b', map('b', { x: '1' }));
  const late = await put('b', made);
  assert.equal(refusal(late).slice(0, 2), [409, 'Conflict']);
  assert.match(late.body.message, /the object has been modified; please apply your changes to the latest version/);
});
const refusals: readonly [what: string, name: string, body: object, status: number][] = [
  ['another name', 'a', map('b'), 400],
  ['no name', 'a', { data: {} }, 400],
  ['what is not there', 'none', map('none'), 404],
  ['another uid', 'a', { metadata: { name: 'a', uid: 'x' } }, 409],
];
for (const [what, name, body, status] of refusals) test(`refuses ${what}`, async () => assert.is((await put(name, body)).status, status));
const CREATED: readonly [resource: string, status: number][] = [
  ['coordination.k8s.io/v1/namespaces/default/leases', 201],
  ['rbac.authorization.k8s.io/v1/namespaces/default/roles', 201],
  ['policy/v1/namespaces/default/poddisruptionbudgets', 404],
  ['apps/v1/namespaces/default/controllerrevisions', 404],
];
for (const [resource, status] of CREATED)
  test(`creates only where its resource says so: ${status} of ${resource}`, async () => {
    const { status: answered } = await server.ask('PUT', `/apis/${resource}/new`, { body: { metadata: { name: 'new' }, spec: {} } });
    assert.is(answered, status);
  });

for (const [what, more] of [
  ['no version', {}],
  ['an old version', { resourceVersion: '1' }],
  ['what is invalid', { labels: { 'a b': 'c' } }],
] as const)
  test(`is of another object where the uid is another one, also with ${what}`, async () => {
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/again';
    await server.ask('PUT', path, { body: { metadata: { name: 'again' }, spec: {} } });
    const { uid } = (await server.get(path)).body.metadata;
    const { status, body } = await server.ask('PUT', path, { body: { metadata: { name: 'again', uid: 'x', ...more }, spec: {} } });
    const where = 'StorageError: invalid object, Code: 4, Key: /registry/leases/default/again, ResourceVersion: 0';
    const cause = `${where}, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${uid}`;
    assert.equal([status, body.message], [409, `Operation cannot be fulfilled on leases.coordination.k8s.io "again": ${cause}`]);
  });

test.run();
