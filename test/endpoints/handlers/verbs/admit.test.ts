import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('admission of what handlers do');
const server = await AskedServer.start();
test.after(() => server.stop());
const map = (name: string) => ({ metadata: { name } });

test('holds writes to namespaces that go', async () => {
  await server.post('/api/v1/namespaces', { metadata: { name: 'going' }, spec: { finalizers: ['example.com/hold'] } });
  await server.post('/api/v1/namespaces/going/configmaps', { metadata: { name: 'held', finalizers: ['example.com/hold'] } });
  await server.ask('DELETE', '/api/v1/namespaces/going');
  const { status, body } = await server.post('/api/v1/namespaces/going/configmaps', map('late'));
  assert.equal([status, body.reason], [403, 'Forbidden']);
  assert.match(body.message, /because it is being terminated/);
  assert.is((await server.post('/api/v1/namespaces/going/configmaps?dryRun=All', map('late'))).status, 403);
});
test('changes what is created before it is validated', async () => {
  const spec = { containers: [{ name: 'main', image: 'x' }] };
  const { body } = await server.post('/api/v1/namespaces/default/pods', { metadata: { name: 'a' }, spec });
  assert.equal([body.spec.serviceAccountName, body.spec.priority], ['default', 0]);
});
test('protects what the cluster needs', async () => {
  for (const name of ['default', 'kube-system']) {
    const { status, body } = await server.ask('DELETE', `/api/v1/namespaces/${name}`);
    assert.equal([status, body.reason], [403, 'Forbidden'], name);
  }
});
test('an update that creates needs the right to create as well', async () => {
  const flags = { 'authorization-mode': ['RBAC'] };
  const strict = await AskedServer.start('kubernetes', flags);
  try {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const rules = [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update'] }];
    await strict.post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', { metadata: { name: 'r' }, rules });
    const subjects = [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.k8s.io' }];
    const roleRef = { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' };
    await strict.post('/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', { metadata: { name: 'r' }, subjects, roleRef });
    const put = (name: string, resourceVersion?: string) =>
      strict.ask('PUT', `${leases}/${name}`, {
        body: { metadata: { name, resourceVersion }, spec: {} },
        headers: { 'impersonate-user': 'jane' },
      });
    assert.is((await put('new')).status, 403);
    const { body: old } = await strict.post(leases, { metadata: { name: 'old' }, spec: {} });
    assert.is((await put('old', old.metadata.resourceVersion)).status, 200);
  } finally {
    await strict.stop();
  }
});

test.run();
