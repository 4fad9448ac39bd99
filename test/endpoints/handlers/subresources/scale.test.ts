import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, AskedServer, MERGE } from '../asked-server.ts';

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
