/** Warnings that a kind's own rules send: of new objects, of changes that touch what is questionable, of deletions. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('warnings');
let server: TestServer;
let client: Client;
test.before(async () => {
  server = await startServer({ dialect: 'kubernetes' });
  client = new Client(server);
});
test.after(async () => void (await server.stop()));

const template = (spec: object = {}): object => ({
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'a', image: 'i' }], ...spec },
});

test('a changed template is looked at again, other changes are not', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const spec = { selector: { matchLabels: { a: 'b' } }, template: template() };
  const created = await client.post(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'w' }, spec });
  assert.is(created.headers.warning, undefined);
  const changed = await client.patch(`${path}/w`, { spec: { template: { spec: { nodeSelector: { 'beta.kubernetes.io/os': 'x' } } } } });
  assert.match(String(changed.headers.warning), 'deprecated since v1.14');
  for (const [suffix, patch] of [
    ['', { metadata: { labels: { a: 'b' } } }],
    ['/status', { status: { replicas: 1 } }],
  ] as const) {
    const other = await client.patch(`${path}/w${suffix}`, patch);
    assert.is(other.status, 200);
    assert.is(other.headers.warning, undefined);
  }
});

test('a certificate that no server could use is warned of whenever its secret is written', async () => {
  const path = '/api/v1/namespaces/default/secrets';
  const data = { 'tls.crt': 'AA==', 'tls.key': 'AA==' };
  const created = await client.post(path, { metadata: { name: 'tls' }, type: 'kubernetes.io/tls', data });
  assert.is(created.status, 201);
  assert.is(created.headers.warning, '299 - "tls: failed to find any PEM data in certificate input"');
  const changed = await client.patch(`${path}/tls`, { metadata: { labels: { a: 'b' } } });
  assert.is(changed.headers.warning, created.headers.warning);
  const opaque = await client.post(path, { metadata: { name: 'opaque' }, data });
  assert.is(opaque.headers.warning, undefined);
});

test('pods that outlive their job are warned of, whether it is there or not', async () => {
  const path = '/apis/batch/v1/namespaces/default/jobs';
  const spec = { template: template({ restartPolicy: 'Never' }) };
  for (const [query, warned] of [
    ['', true],
    ['?propagationPolicy=Background', false],
  ] as const) {
    await client.post(path, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: `w${warned}` }, spec });
    const deleted = await client.delete(`${path}/w${warned}${query}`);
    assert.is(deleted.status, 200);
    assert.is(deleted.headers.warning !== undefined, warned);
  }
  const missing = await client.delete(`${path}/none`);
  assert.is(missing.status, 404);
  assert.match(String(missing.headers.warning), 'child pods');
});

test('a write that is refused after its object was found valid warns as one that is stored does', async () => {
  const path = '/api/v1/namespaces/default/pods';
  const pod = (image: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'twice' },
    spec: { containers: [{ name: 'a', image }], nodeSelector: { 'beta.kubernetes.io/os': 'x' } },
  });
  for (const [image, status, warned] of [
    ['i', 201, true],
    ['i', 409, true],
    ['', 422, false],
  ] as const) {
    const answer = await client.post(path, pod(image));
    assert.is(answer.status, status);
    assert.is(String(answer.headers.warning).includes('deprecated since v1.14'), warned, `${status}`);
  }
});

test('a scale changes the object whose template is warned of', async () => {
  const path = '/apis/apps/v1/namespaces/default/deployments';
  const spec = { selector: { matchLabels: { a: 'b' } }, template: template({ nodeSelector: { 'beta.kubernetes.io/os': 'x' } }) };
  await client.post(path, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'scaled' }, spec });
  const scaled = await client.patch(`${path}/scaled/scale`, { spec: { replicas: 3 } });
  assert.is(scaled.status, 200);
  assert.match(String(scaled.headers.warning), 'deprecated since v1.14');
});

test.run();
