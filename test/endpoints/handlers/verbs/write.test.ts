import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('what writes have in common');
const server = await AskedServer.start();
test.after(() => server.stop());
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });

const post = (body: unknown, type: string) => server.ask('POST', MAPS, { body, type });
test('a body of a type that is not taken is refused before it is read', async () => {
  assert.is((await post('{', 'text/plain')).status, 415);
  assert.is((await post('{', 'application/json')).status, 400);
});
test('YAML is read where 1.32 reads it', async () => assert.is((await post('metadata:\n  name: yaml\n', 'application/yaml')).status, 201));
test('an owner that stands twice is written once, and the client is told', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  const { status, body, headers } = await server.post(MAPS, { metadata: { name: 'owned', ownerReferences: [owner, owner] } });
  assert.equal([status, body.metadata.ownerReferences.length], [201, 1]);
  assert.match(headers.get('warning') ?? '', /ownerReferences contains duplicate entries/);
});
test('an owner that a patch repeats is written once, and the client is told as of one that admission has added', async () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };
  await server.post(MAPS, { metadata: { name: 'patched', ownerReferences: [owner] } });
  const patch = [{ op: 'add', path: '/metadata/ownerReferences/-', value: owner }];
  const { status, body, headers } = await server.ask('PATCH', `${MAPS}/patched`, { body: patch, type: 'application/json-patch+json' });
  assert.equal([status, body.metadata.ownerReferences.length], [200, 1]);
  assert.match(
    headers.get('warning') ?? '',
    /^299 - "\.metadata\.ownerReferences contains duplicate entries after mutating admission happens; /,
  );
});
test('who writes owns the fields, under the name that they give or that of their program', async () => {
  const managers = async (query: string, headers = {}) => {
    const { body } = await server.ask('POST', `${MAPS}?dryRun=All&${query}`, { body: map('a', { x: '1' }), headers });
    return body.metadata.managedFields.map(({ manager, operation }: { manager: string; operation: string }) => [manager, operation]);
  };
  assert.equal(await managers('fieldManager=me'), [['me', 'Update']]);
  assert.equal(await managers('', { 'user-agent': 'tester/1.0 (x)' }), [['tester', 'Update']]);
});
test('objects of the cluster have no namespace', async () => {
  const { status, body } = await server.post('/api/v1/namespaces', { metadata: { name: 'made', namespace: 'x' } });
  assert.equal([status, body.metadata.namespace], [201, undefined]);
});
const options: readonly [query: string, status: number][] = [
  ['dryRun=Some', 422],
  ['fieldValidation=Maybe', 422],
  [`fieldManager=${'x'.repeat(129)}`, 422],
];
for (const [query, status] of options)
  test(`refuses ${query.slice(0, 30)}`, async () => assert.is((await server.post(`${MAPS}?${query}`, map('x'))).status, status));

test.run();
