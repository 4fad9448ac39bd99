import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, AskedServer, MERGE, refusal } from '../asked-server.ts';

const test = suite('the subresource scale');
const server = await AskedServer.start();
test.after(() => server.stop());

const PATH = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'x' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'x' }] } };
test.before(() =>
  server
    .post(PATH, { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } })
    .then(() => undefined),
);
const replicas = async () => (await server.get(`${PATH}/web`)).body.spec.replicas;
test('shows the number of replicas', async () => {
  const { status, body } = await server.get(`${PATH}/web/scale`);
  assert.equal([status, body.kind, body.spec.replicas, body.status.selector], [200, 'Scale', 2, 'app=x']);
});
test('changes it by PUT, by a patch and by apply', async () => {
  const { body: scale } = await server.get(`${PATH}/web/scale`);
  assert.is((await server.ask('PUT', `${PATH}/web/scale`, { body: { ...scale, spec: { replicas: 3 } } })).status, 200);
  assert.is(await replicas(), 3);
  assert.is((await server.ask('PATCH', `${PATH}/web/scale`, { body: { spec: { replicas: 4 } }, type: MERGE })).body.spec.replicas, 4);
  const intent = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'web' }, spec: { replicas: 5 } };
  assert.is((await server.ask('PATCH', `${PATH}/web/scale?fieldManager=me&force=true`, { body: intent, type: APPLY })).status, 200);
  assert.is(await replicas(), 5);
});
test('refuses less than none, another name, and what is not there', async () => {
  const patch = (name: string, body: object) => server.ask('PATCH', `${PATH}/${name}/scale`, { body, type: MERGE });
  assert.is((await patch('web', { spec: { replicas: -1 } })).status, 422);
  assert.is((await patch('web', { metadata: { name: 'b' } })).status, 400);
  assert.is((await patch('none', {})).status, 404);
  assert.is((await server.get(`${PATH}/none/scale`)).status, 404);
});

for (const [what, metadata, field] of [
  ['labels', { labels: { 'a b': 'c' } }, 'metadata.labels'],
  ['finalizers', { finalizers: ['a b'] }, 'metadata.finalizers'],
  ['a generation', { generation: -1 }, 'metadata.generation'],
] as const)
  test(`refuses ${what} that no metadata may have`, async () => {
    const { body: scale } = await server.get(`${PATH}/web/scale`);
    const put = await server.ask('PUT', `${PATH}/web/scale`, { body: { ...scale, metadata: { ...scale.metadata, ...metadata } } });
    const patched = await server.ask('PATCH', `${PATH}/web/scale`, { body: { metadata }, type: MERGE });
    for (const { status, body } of [put, patched]) assert.equal([status, body.details.causes[0].field], [422, field]);
    assert.match(put.body.message, /^Scale\.autoscaling "web" is invalid: \[?metadata\./);
  });
test('of another version is a conflict by PUT', async () => {
  const { body: scale } = await server.get(`${PATH}/web/scale`);
  const put = (resourceVersion: string) =>
    server.ask('PUT', `${PATH}/web/scale`, { body: { ...scale, metadata: { ...scale.metadata, resourceVersion } } });
  const { status, body } = await put('1');
  assert.equal([status, body.reason], [409, 'Conflict']);
  assert.is((await put('')).status, 200);
});
test('of a custom resource that has no number yet is not there, and needs a number to be written', async () => {
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } } };
  const scale = { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { scale } };
  const names = { plural: 'fleets', singular: 'fleet', kind: 'Fleet', listKind: 'FleetList' };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
  await server.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { metadata: { name: 'fleets.example.com' }, spec });
  const fleets = '/apis/example.com/v1/namespaces/default/fleets';
  const fleet = { apiVersion: 'example.com/v1', kind: 'Fleet', metadata: { name: 'a' }, spec: {} };
  while ((await server.post(fleets, fleet)).status !== 201);
  const at = `${fleets}/a/scale`;
  const message = 'Internal error occurred: the spec replicas field ".spec.size" does not exist';
  assert.equal(refusal(await server.get(at)), [500, 'InternalError', message]);
  const refused = await server.ask('PATCH', at, { body: { metadata: { labels: { a: 'b' } } }, type: MERGE });
  assert.equal([refused.status, refused.body.message], [400, 'the spec replicas field ".spec.size" cannot be empty']);
  assert.is((await server.ask('PATCH', at, { body: { spec: { replicas: 3 } }, type: MERGE })).status, 200);
  assert.is((await server.get(`${fleets}/a`)).body.spec.size, 3);
});
test('of another uid is a conflict by PUT, whatever else it has', async () => {
  const body = { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: { name: 'web', uid: 'x', generation: -1 }, spec: { replicas: -1 } };
  const answer = await server.ask('PUT', `${PATH}/web/scale`, { body });
  assert.is(answer.status, 409);
  assert.match(
    answer.body.message,
    /^Operation cannot be fulfilled on deployments\.apps "web": StorageError: invalid object, Code: 4, Key: \/registry\/deployments\/default\/web, .*: Precondition failed: UID in precondition: x, /,
  );
});

test.run();
