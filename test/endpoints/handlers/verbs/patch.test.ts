import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, AskedServer, JSON_PATCH, MERGE, STRATEGIC } from '../asked-server.ts';

const test = suite('PATCH of one object');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

test.before(() => server.post(MAPS, map('a', { x: '1', y: '2' })).then(() => undefined));
const rows: readonly [type: string, body: unknown, data: object][] = [
  [MERGE, { data: { x: null, z: '3' } }, { y: '2', z: '3' }],
  [STRATEGIC, { data: { z: null, x: '1' } }, { x: '1', y: '2' }],
  [JSON_PATCH, [{ op: 'add', path: '/data/w', value: '4' }], { w: '4', x: '1', y: '2' }],
  [JSON_PATCH, [{ op: 'remove', path: '/data/w' }], { x: '1', y: '2' }],
];
for (const [type, body, data] of rows)
  test(`${type} makes ${JSON.stringify(data)}`, async () => {
    const answer = await server.ask('PATCH', `${MAPS}/a`, { body, type });
    assert.equal([answer.status, answer.body.data], [200, data]);
  });
const refusals: readonly [what: string, type: string, body: unknown, status: number][] = [
  ['a type that is none', 'application/json', {}, 415],
  ['a patch that is no list', JSON_PATCH, {}, 400],
  ['a test that fails', JSON_PATCH, [{ op: 'test', path: '/data/x', value: 'no' }], 422],
  ['another name', MERGE, { metadata: { name: 'b' } }, 400],
  ['an older version', MERGE, { metadata: { resourceVersion: '1' } }, 409],
  ['a value of another type', MERGE, { data: { x: 1 } }, 422],
];
for (const [what, type, body, status] of refusals)
  test(`refuses ${what}`, async () => assert.is((await server.ask('PATCH', `${MAPS}/a`, { body, type })).status, status));

const emptied: readonly [type: string, body: unknown, status: number][] = [
  [MERGE, { metadata: { labels: { a: '1' } } }, 200],
  [JSON_PATCH, [{ op: 'add', path: '/metadata/labels/b', value: '2' }], 200],
  [STRATEGIC, { metadata: { labels: { c: '3' } } }, 422],
];
for (const [type, body, status] of emptied)
  test(`${type} answers ${status} for an immutable map with empty bytes`, async () => {
    await server.post(MAPS, { metadata: { name: 'emptied' }, immutable: true, binaryData: { a: '' } });
    assert.is((await server.ask('PATCH', `${MAPS}/emptied`, { body, type })).status, status);
  });

const SCALERS = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers';
const kinds: readonly [what: string, patch: object, problem: RegExp][] = [
  ['another kind', { kind: 'Secret' }, /: converting \(v1\.Secret\) to \(core\.ConfigMap\): unknown conversion$/],
  ['an unknown kind', { kind: 'Thing' }, /: no kind "Thing" is registered for version "v1" in scheme "[^"]+"$/],
  ['an unknown version', { apiVersion: 'v9' }, /: no kind "ConfigMap" is registered for version "v9" in scheme "[^"]+"$/],
];
for (const [what, body, problem] of kinds)
  test(`says why an object cannot become ${what}`, async () => {
    const answer = await server.ask('PATCH', `${MAPS}/a`, { body, type: MERGE });
    assert.is(answer.status, 422);
    assert.match(answer.body.message, problem);
  });

test('takes an object that has become one of another version', async () => {
  await server.post(SCALERS, { metadata: { name: 's' }, spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' } } });
  const body = { apiVersion: 'autoscaling/v1', spec: { metrics: null, targetCPUUtilizationPercentage: 70 } };
  const { status, body: scaler } = await server.ask('PATCH', `${SCALERS}/s`, { body, type: MERGE });
  assert.equal([status, scaler.apiVersion], [200, 'autoscaling/v2'], scaler.message);
  assert.equal(scaler.spec.metrics, [
    { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
  ]);
});

const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
for (const resourceVersion of [null, '', '0'])
  test(`refuses to take the version ${JSON.stringify(resourceVersion)} from an object that is only updated with one`, async () => {
    await server.post(CLASSES, { metadata: { name: 'c' }, handler: 'h' });
    const answer = await server.ask('PATCH', `${CLASSES}/c`, { body: { metadata: { resourceVersion } }, type: MERGE });
    assert.is(answer.status, 422);
    assert.match(answer.body.message, /metadata\.resourceVersion: Invalid value: 0x0: must be specified for an update$/);
    assert.is((await server.ask('PATCH', `${MAPS}/a`, { body: { metadata: { resourceVersion } }, type: MERGE })).status, 200);
  });
test('refuses what is not there', async () =>
  assert.is((await server.ask('PATCH', `${MAPS}/none`, { body: {}, type: MERGE })).status, 404));
test('starts over where another writer was faster', async () => {
  const writers = Array.from({ length: 8 }, (_, i) =>
    server.ask('PATCH', `${MAPS}/a`, { body: { data: { [`w${i}`]: 'x' } }, type: MERGE }),
  );
  for (const { status } of await Promise.all(writers)) assert.is(status, 200);
  assert.is(Object.keys((await server.get(`${MAPS}/a`)).body.data).length, 10);
});

test('owns nothing of what a write to the status resets', async () => {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p', labels: { a: 'b' } },
    spec: { validations: [{ expression: 'true' }] },
    status: { observedGeneration: 1 },
  };
  const matchConstraints = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods'] }] };
  await server.post(path, { ...policy, spec: { ...policy.spec, matchConstraints } });
  const { body } = await server.ask('PATCH', `${path}/p/status?fieldManager=me&force=true`, { body: policy, type: APPLY });
  const own = body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'me');
  assert.equal(Object.keys(own.fieldsV1), ['f:status']);
  assert.equal(body.metadata.labels, { a: 'b' });
});

test('owns a status that goes with the object of a service range, and takes it back', async () => {
  const ranges = await AskedServer.start('kubernetes', { 'runtime-config': { 'networking.k8s.io/v1beta1': true } });
  const range = { apiVersion: 'networking.k8s.io/v1beta1', kind: 'ServiceCIDR', metadata: { name: 'r' }, spec: { cidrs: ['10.9.0.0/24'] } };
  const ready = { type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  const apply = (body: object, part = '') =>
    ranges.ask('PATCH', `/apis/networking.k8s.io/v1beta1/servicecidrs/r${part}?fieldManager=me`, { body, type: APPLY });
  const made = (await apply({ ...range, status: { conditions: [ready] } })).body;
  assert.equal(Object.keys(made.metadata.managedFields[0].fieldsV1), ['f:spec', 'f:status']);
  assert.equal((await apply(range)).body.status, {});
  const owners = (await apply({ ...range, status: { conditions: [ready] } }, '/status')).body.metadata.managedFields;
  const own = owners.find(({ subresource }: { subresource?: string }) => subresource === 'status');
  assert.equal(Object.keys(own.fieldsV1), ['f:spec', 'f:status']);
  await ranges.stop();
});

test.run();
