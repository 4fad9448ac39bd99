import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer, refusal } from '../asked-server.ts';

const test = suite('bindings');
const server = await AskedServer.start();
test.after(() => server.stop());
const PODS = '/api/v1/namespaces/default/pods';
const pod = (name: string, spec: object = {}) => ({ metadata: { name }, spec: { containers: [{ name: 'main', image: 'x' }], ...spec } });

const bind = (name: string, body: object) => server.post(`${PODS}/${name}/binding`, { metadata: { name }, ...body });
const TARGET = { target: { kind: 'Node', name: 'n1' } };
test('gives a pod to a node, once', async () => {
  await server.post(PODS, pod('a'));
  const { status, body } = await bind('a', TARGET);
  assert.equal([status, body.kind, body.status], [201, 'Status', 'Success']);
  const { body: bound } = await server.get(`${PODS}/a`);
  assert.is(bound.spec.nodeName, 'n1');
  assert.ok(
    bound.status.conditions.some(({ type, status: is }: { type: string; status: string }) => type === 'PodScheduled' && is === 'True'),
  );
  assert.equal(refusal(await bind('a', TARGET)).slice(0, 2), [409, 'Conflict']);
});
test('works by the collection of bindings as well', async () => {
  await server.post(PODS, pod('b'));
  const { status } = await server.post('/api/v1/namespaces/default/bindings', { metadata: { name: 'b' }, ...TARGET });
  assert.is(status, 201);
  assert.is((await server.get(`${PODS}/b`)).body.spec.nodeName, 'n1');
});
test('a uid counts below the pod alone', async () => {
  await server.post(PODS, pod('e'));
  const body = { metadata: { name: 'e', uid: 'other' }, ...TARGET };
  assert.is((await bind('e', body)).status, 409);
  assert.is((await server.post('/api/v1/namespaces/default/bindings', body)).status, 201);
});
test('refuses a pod that is not there, one that waits at gates, another name, uid or kind of target', async () => {
  await server.post(PODS, pod('gated', { schedulingGates: [{ name: 'example.com/wait' }] }));
  await server.post(PODS, pod('c'));
  assert.is((await bind('none', TARGET)).status, 404);
  assert.is((await bind('gated', TARGET)).status, 409);
  assert.is((await bind('c', { ...TARGET, metadata: { name: 'd' } })).status, 400);
  assert.is((await bind('c', { ...TARGET, metadata: { name: 'c', uid: 'other' } })).status, 409);
  assert.ok((await bind('c', { target: { kind: 'Pod', name: 'n1' } })).status >= 400);
  assert.is((await server.get(`${PODS}/c`)).body.spec.nodeName, undefined);
});
for (const resourceVersion of ['1', 'x'])
  test(`refuses a pod of another version than ${resourceVersion}, one that is bound already as well`, async () => {
    for (const name of ['free', 'taken']) await server.post(PODS, pod(name));
    await bind('taken', TARGET);
    for (const name of ['free', 'taken']) {
      const { metadata } = (await server.get(`${PODS}/${name}`)).body;
      const { status, body } = await bind(name, { ...TARGET, metadata: { name, resourceVersion } });
      const cause = `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`;
      assert.equal([status, body.message], [409, `Operation cannot be fulfilled on pods "${name}": ${cause}`]);
    }
  });
test('takes a pod of the version that it means', async () => {
  const { body: made } = await server.post(PODS, pod('meant'));
  const { uid, resourceVersion } = made.metadata;
  assert.is((await bind('meant', { ...TARGET, metadata: { name: 'meant', uid, resourceVersion } })).status, 201);
});
test('refuses below a pod what names another namespace', async () => {
  await server.post(PODS, pod('here'));
  assert.equal(refusal(await bind('here', { ...TARGET, metadata: { name: 'here', namespace: 'other' } })), [
    400,
    'BadRequest',
    'the namespace of the provided object does not match the namespace sent on the request',
  ]);
});
test('gives the pod its annotations, and none of its labels', async () => {
  await server.post(PODS, { ...pod('told'), metadata: { name: 'told', labels: { own: 'x' } } });
  await bind('told', { metadata: { name: 'told', labels: { zone: 'a' }, annotations: { note: 'b' } }, ...TARGET });
  const { metadata } = (await server.get(`${PODS}/told`)).body;
  assert.equal([metadata.labels, metadata.annotations], [{ own: 'x' }, { note: 'b' }]);
});
test('asks for the namespace before it looks at what it was sent', async () => {
  assert.equal(refusal(await server.post('/api/v1/namespaces/none/pods/a/binding', {})).slice(0, 2), [404, 'NotFound']);
  const { status, body } = await server.post('/api/v1/namespaces/none/bindings', { metadata: { name: 'a' }, ...TARGET });
  assert.equal([status, body.message], [404, 'namespaces "none" not found']);
});

test('asks validating admission before it looks at the pod', async () => {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/binding', 'bindings'] };
  const spec = {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: "object.target.name != 'closed'", message: 'no' }],
  };
  await server.post(`${group}/validatingadmissionpolicies`, { metadata: { name: 'hosts' }, spec });
  const bound = { metadata: { name: 'hosts' }, spec: { policyName: 'hosts', validationActions: ['Deny'] } };
  await server.post(`${group}/validatingadmissionpolicybindings`, bound);
  await server.post(PODS, pod('held'));
  await bind('held', TARGET);
  const closed = { target: { kind: 'Node', name: 'closed' } };
  for (const name of ['held', 'missing']) assert.equal(refusal(await bind(name, closed)).slice(0, 2), [422, 'Invalid'], name);
  assert.equal(refusal(await server.post('/api/v1/namespaces/default/bindings', { metadata: { name: 'held' }, ...closed })).slice(0, 2), [
    422,
    'Invalid',
  ]);
  assert.is((await bind('held', TARGET)).status, 409);
});
test.run();
