import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from '../asked-server.ts';

const test = suite('discovery');
const server = await AskedServer.start();
test.after(() => server.stop());

test('tells versions, groups and resources', async () => {
  assert.equal((await server.get('/api')).body.versions, ['v1']);
  const { body: groups } = await server.get('/apis');
  assert.ok(groups.groups.some(({ name }: { name: string }) => name === 'apps'));
  const { body: apps } = await server.get('/apis/apps/v1');
  assert.equal([apps.kind, apps.groupVersion], ['APIResourceList', 'apps/v1']);
  assert.ok(apps.resources.some(({ name }: { name: string }) => name === 'deployments/scale'));
  assert.is((await server.get('/apis/apps')).body.preferredVersion.version, 'v1');
});
const enveloped: readonly [path: string, apiVersion: string, kind: string][] = [
  ['/api', '', 'APIVersions'],
  ['/apis', 'v1', 'APIGroupList'],
  ['/apis/apps', 'v1', 'APIGroup'],
  ['/apis/apps/v1', 'v1', 'APIResourceList'],
];
for (const [path, apiVersion, kind] of enveloped)
  test(`names version and kind in protobuf: ${path}`, async () => {
    const answer = await server.embedded.client.fetch(path, { headers: { accept: 'application/vnd.kubernetes.protobuf' } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const typeMeta = `\x0a${String.fromCharCode(apiVersion.length)}${apiVersion}\x12${String.fromCharCode(kind.length)}${kind}`;
    assert.is(bytes.toString('latin1', 6, 6 + typeMeta.length), typeMeta);
  });
test('lists the paths that there are', async () => {
  const { body } = await server.get('/');
  for (const path of ['/api/v1', '/apis', '/apis/', '/apis/apps/v1', '/healthz', '/openapi/v3', '/version'])
    assert.ok(body.paths.includes(path), path);
});
test('gives the documents by address and by tag', async () => {
  const { body } = await server.get('/openapi/v3');
  const { serverRelativeURL } = JSON.parse(body).paths['apis/apps/v1'];
  const document = await server.get(serverRelativeURL);
  assert.equal([document.status, document.body.openapi], [200, '3.0.0']);
  const again = await server.get(serverRelativeURL, { 'if-none-match': document.headers.get('etag') ?? '' });
  assert.is(again.status, 304);
  const stale = await server.embedded.client.fetch(serverRelativeURL.replace(/hash=.*/, 'hash=other'), { redirect: 'manual' });
  assert.equal([stale.status, stale.headers.get('location')], [301, serverRelativeURL]);
});
const outcomes: readonly [method: string, path: string, headers: Record<string, string>, status: number][] = [
  ['GET', '/api/v2', {}, 404],
  ['GET', '/apis/none.example', {}, 404],
  ['POST', '/api', {}, 405],
  ['POST', '/api/v1', {}, 405],
  ['POST', '/apis', {}, 200],
  ['HEAD', '/apis', {}, 200],
  ['DELETE', '/apis/apps', {}, 200],
  ['PURGE', '/apis', {}, 200],
  ['POST', '/apis/apps/v1', {}, 405],
  ['POST', '/apis/apiregistration.k8s.io', {}, 405],
  ['GET', '/apis', { accept: 'image/png' }, 406],
  ['GET', '/apis/apps', { accept: 'application/*' }, 200],
  ['GET', '/apis/apps', { accept: '*' }, 200],
  ['GET', '/apis/apps', { accept: 'image/png' }, 406],
  ['GET', '/apis/apps/v1', { accept: 'application/*' }, 406],
  ['GET', '/openapi/v3/none', {}, 404],
  ['POST', '/openapi/v2', { accept: 'image/png' }, 406],
  ['POST', '/openapi/v2', { 'if-none-match': '*' }, 412],
  ['HEAD', '/openapi/v2', { 'if-none-match': '*' }, 304],
  ['DELETE', '/openapi/v3/none', {}, 404],
];
for (const [method, path, headers, status] of outcomes)
  test(`${method} ${path} is ${status}`, async () => assert.is((await server.ask(method, path, { headers })).status, status));

for (const path of ['/openapi/v2', '/openapi/v3', '/openapi/v3/api/v1'])
  test(`${path} is there for every method, as in 1.32`, async () => {
    const { body: shown } = await server.get(path);
    for (const method of ['POST', 'DELETE', 'HEAD']) {
      const answer = await server.ask(method, path);
      assert.equal([answer.status, answer.body], [200, method === 'HEAD' ? '' : shown], method);
    }
  });

test.run();
