import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('reviews');
const server = await AskedServer.start();
test.after(() => server.stop());

const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
test('tell clients who they are', async () => {
  const { status, body } = await server.post(`${AUTHENTICATION}/selfsubjectreviews`, {});
  assert.is(status, 201);
  assert.ok(body.status.userInfo.groups.includes('system:masters'));
});
test('tell whose a token is, and whether it is one', async () => {
  const ask = async (token: string) => (await server.post(`${AUTHENTICATION}/tokenreviews`, { spec: { token } })).body.status;
  assert.is((await ask(server.embedded.clientConfig.token)).authenticated, true);
  const unknown = await ask('nobody');
  assert.equal([unknown.authenticated, typeof unknown.error], [undefined, 'string']);
});
const attributes = { namespace: 'default', verb: 'get', resource: 'pods' };
test('tell what somebody may do', async () => {
  const self = await server.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: { resourceAttributes: attributes } });
  assert.equal([self.status, self.body.status.allowed], [201, true]);
  const other = await server.post(`${AUTHORIZATION}/subjectaccessreviews`, { spec: { user: 'nobody', resourceAttributes: attributes } });
  assert.is(other.body.status.allowed, false);
  const rules = await server.post(`${AUTHORIZATION}/selfsubjectrulesreviews`, { spec: { namespace: 'default' } });
  assert.ok(rules.body.status.resourceRules.length > 0);
});
test('of one namespace are about that namespace', async () => {
  const path = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
  const spec = { user: 'nobody', resourceAttributes: attributes };
  assert.is((await server.post(path, { metadata: { namespace: 'default' }, spec })).status, 201);
  assert.is(
    (
      await server.post(path, {
        metadata: { namespace: 'default' },
        spec: { ...spec, resourceAttributes: { ...attributes, namespace: 'other' } },
      })
    ).status,
    422,
  );
});
test('that are refused show structures as Go does', async () => {
  const spec = { user: 'a', resourceAttributes: attributes, nonResourceAttributes: { path: '/x', verb: 'get' } };
  const { status, body } = await server.post(`${AUTHORIZATION}/subjectaccessreviews`, { spec });
  assert.is(status, 422);
  assert.match(
    body.message,
    / Invalid value: authorization\.NonResourceAttributes\{Path:"\/x", Verb:"get"\}: cannot be specified in combination with /,
  );
});
test('that are refused for their metadata show these with all that they have', async () => {
  const path = `${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`;
  const metadata = { namespace: 'default', labels: { a: 'b' } };
  const { status, body } = await server.post(path, { metadata, spec: { user: 'nobody', resourceAttributes: attributes } });
  assert.is(status, 422);
  assert.match(body.message, / metadata: Invalid value: v1\.ObjectMeta\{Name:"", GenerateName:"", Namespace:"default", /);
  assert.match(body.message, / FieldsV1:\(\*v1\.FieldsV1\)\(0x[\da-f]+\), Subresource:""\}\}\}: must be empty except for namespace$/);
});
const SYSTEM = {
  uid: 'x',
  selfLink: '/x',
  creationTimestamp: '2020-01-01T00:00:00Z',
  deletionTimestamp: '2020-01-01T00:00:00Z',
  deletionGracePeriodSeconds: 1,
};
test('have no metadata of what a server alone says', async () => {
  const spec = { resourceAttributes: attributes };
  const { status, body } = await server.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { metadata: SYSTEM, spec });
  assert.equal([status, Object.keys(body.metadata), body.metadata.creationTimestamp], [201, ['creationTimestamp', 'managedFields'], null]);
  const token = await server.post(`${AUTHENTICATION}/tokenreviews`, { metadata: { name: 'x', ...SYSTEM }, spec: { token: 'x' } });
  assert.equal(Object.keys(token.body.metadata), ['name', 'creationTimestamp', 'managedFields']);
  const versioned = { metadata: { resourceVersion: '1' }, spec };
  assert.is((await server.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, versioned)).status, 422);
});
test('that are not whole are refused', async () => {
  assert.is((await server.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec: {} })).status, 422);
  assert.is((await server.post(`${AUTHENTICATION}/tokenreviews`, { spec: {} })).status, 400);
  assert.is((await server.get(`${AUTHENTICATION}/tokenreviews`)).status, 405);
});

test('know no selectors while their gate is off, whatever they are', async () => {
  const gates = { AuthorizeNodeWithSelectors: false, AuthorizeWithSelectors: false };
  const ungated = await AskedServer.start('kubernetes', { 'feature-gates': gates });
  try {
    const spec = { resourceAttributes: { ...attributes, fieldSelector: { rawSelector: 'a=b', requirements: [{}] }, labelSelector: {} } };
    const { status, body } = await ungated.post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec });
    assert.equal([status, body.spec.resourceAttributes], [201, attributes]);
  } finally {
    await ungated.stop();
  }
});

test.run();
