import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { APPLY, AskedServer, JSON_PATCH, MERGE, STRATEGIC } from '../asked-server.ts';

const test = suite('subresources that show members of an object in a kind of their own');
const server = await AskedServer.start('kubernetes', { 'emulated-release': '1.20', 'feature-gates': { EphemeralContainers: true } });
test.after(() => server.stop());

const PODS = '/api/v1/namespaces/default/pods';
/** Makes a pod of that name with some ephemeral containers. @returns the path of the subresource */
async function podWith(name: string, ...debuggers: readonly string[]): Promise<string> {
  const containers = [{ name: 'main', image: 'x' }];
  const made = await server.post(PODS, { metadata: { name }, spec: { automountServiceAccountToken: false, containers } });
  assert.is(made.status, 201);
  const path = `${PODS}/${name}/ephemeralcontainers`;
  if (debuggers.length > 0) assert.is((await put(path, name, debuggers)).status, 200);
  return path;
}
const put = (path: string, name: string, debuggers: readonly string[], metadata: object = {}) =>
  server.ask('PUT', path, {
    body: { metadata: { name, ...metadata }, ephemeralContainers: debuggers.map((each) => ({ name: each, image: 'y' })) },
  });
const names = (body: { ephemeralContainers: readonly { name: string }[] }) => body.ephemeralContainers.map(({ name }) => name);

test('a pod without the members shows an empty list, and of its metadata what identifies it', async () => {
  const { status, body } = await server.get(await podWith('bare'));
  assert.equal([status, body.kind, body.apiVersion, body.ephemeralContainers], [200, 'EphemeralContainers', 'v1', []]);
  assert.equal(Object.keys(body.metadata), ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp']);
});

test('a PUT adds them to the pod, with their defaults, and nothing else of what it sends', async () => {
  const path = await podWith('put');
  const { body: before } = await server.get(`${PODS}/put`);
  const answer = await put(path, 'put', ['debug'], { labels: { a: 'b' } });
  assert.equal([answer.status, names(answer.body), answer.body.ephemeralContainers[0].imagePullPolicy], [200, ['debug'], 'Always']);
  const { body: pod } = await server.get(`${PODS}/put`);
  assert.equal(pod.spec.ephemeralContainers, answer.body.ephemeralContainers);
  assert.equal([pod.metadata.labels, pod.metadata.managedFields], [undefined, before.metadata.managedFields]);
  assert.is(answer.body.metadata.resourceVersion, pod.metadata.resourceVersion);
});

for (const [type, body, now] of [
  [JSON_PATCH, [{ op: 'add', path: '/ephemeralContainers/-', value: { name: 'b', image: 'y' } }], ['a', 'b']],
  [STRATEGIC, { ephemeralContainers: [{ name: 'b', image: 'y' }] }, ['b', 'a']],
  [MERGE, { ephemeralContainers: ['a', 'b'].map((name) => ({ name, image: 'y' })) }, ['a', 'b']],
  [APPLY, { apiVersion: 'v1', kind: 'EphemeralContainers', ephemeralContainers: [{ name: 'b', image: 'y' }] }, ['a', 'b']],
] as const)
  test(`a patch of ${type} adds one`, async () => {
    const name = type.replace(/[^a-z]/g, '-');
    const path = await podWith(name, 'a');
    const sent = type === APPLY ? { ...body, metadata: { name } } : body;
    const answer = await server.ask('PATCH', `${path}?fieldManager=me`, { body: sent, type });
    assert.equal([answer.status, names(answer.body)], [200, now], JSON.stringify(answer.body));
    assert.equal(names((await server.get(`${PODS}/${name}`)).body.spec), now);
  });

test('what is there can be neither changed nor taken away, and what is added must be valid', async () => {
  const path = await podWith('kept', 'a');
  const patch = (containers: readonly object[]) => server.ask('PATCH', path, { type: MERGE, body: { ephemeralContainers: containers } });
  for (const [containers, field, message] of [
    [[], 'spec.ephemeralContainers', 'existing ephemeral containers "a" may not be removed'],
    [[{ name: 'a', image: 'z' }], 'spec.ephemeralContainers', 'existing ephemeral containers "a" may not be changed'],
    [[{ name: 'a', image: 'y' }, { name: 'b' }], 'spec.ephemeralContainers[1].image', 'Required value'],
  ] as const) {
    const { status, body } = await patch(containers);
    assert.equal([status, body.details.kind, body.details.causes[0].field], [422, 'Pod', field]);
    assert.ok(body.message.includes(message), body.message);
  }
  assert.equal(names((await server.get(path)).body), ['a']);
});

test('a dry run stores nothing', async () => {
  const path = await podWith('dry');
  assert.equal(names((await put(`${path}?dryRun=All`, 'dry', ['a'])).body), ['a']);
  assert.equal(names((await server.get(path)).body), []);
});

test('a version or a uid is a precondition, the name is that of the path, and the pod must be there', async () => {
  const path = await podWith('met');
  for (const metadata of [{ resourceVersion: '1' }, { uid: 'x' }]) assert.is((await put(path, 'met', [], metadata)).status, 409);
  assert.is((await put(path, 'other', [])).status, 400);
  const { status, body } = await put(`${PODS}/none/ephemeralcontainers`, 'none', []);
  assert.equal([status, body.message], [404, 'pods "none" not found']);
  assert.is((await server.get(`${PODS}/none/ephemeralcontainers`)).status, 404);
});

test('a pod is another kind, and there is no table', async () => {
  const path = await podWith('kind');
  const { status, body } = await server.ask('PUT', path, { body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'kind' } } });
  assert.is(status, 400);
  assert.match(body.message, /^Pod in version "v1" cannot be handled as a EphemeralContainers/);
  assert.is((await server.get(path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })).status, 406);
});

test.run();
