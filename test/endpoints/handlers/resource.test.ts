import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from './asked-server.ts';

const test = suite('the way from a path to its handler');
const server = await AskedServer.start();
test.after(() => server.stop());

const rows: readonly [method: string, path: string, status: number, reason: string | undefined][] = [
  ['GET', '/api/v1/namespaces/default', 200, undefined],
  ['GET', '/api/v1/nothings', 404, 'NotFound'],
  ['GET', '/apis/apps/v9/deployments', 404, 'NotFound'],
  ['GET', '/api/v1/namespaces/default/configmaps/a/nothing', 404, 'NotFound'],
  ['GET', '/api/v1/namespaces/default/nodes', 404, 'NotFound'],
  ['GET', '/api/v1/pods/a', 404, 'NotFound'],
  ['POST', '/api/v1/namespaces/default/configmaps/a', 405, 'MethodNotAllowed'],
  ['PUT', '/api/v1/namespaces/default/configmaps', 405, 'MethodNotAllowed'],
  ['GET', '/api/v1/namespaces//configmaps', 200, undefined],
  ['GET', '/api/v1/namespaces//configmaps/a', 400, 'BadRequest'],
  ['PUT', '/api/v1/namespaces//configmaps/a', 400, 'BadRequest'],
  ['GET', '/api/v1/namespaces//pods/a/status', 400, 'BadRequest'],
  ['GET', '/api/v1/namespaces//pods/a/nothing', 404, 'NotFound'],
  ['DELETE', '/api/v1/namespaces//configmaps', 400, 'BadRequest'],
  ['DELETE', '/api/v1/configmaps', 405, 'MethodNotAllowed'],
  ['POST', '/api/v1/configmaps', 405, 'MethodNotAllowed'],
  ['DELETE', '/apis/authentication.k8s.io/v1/tokenreviews', 405, 'MethodNotAllowed'],
  ['GET', '/apis/authentication.k8s.io/v1/tokenreviews/a', 404, 'NotFound'],
  ['GET', '/api/v1/watch/bindings', 404, 'NotFound'],
  ['GET', '/api/v1/watch/namespaces/default/pods/a/status', 404, 'NotFound'],
  ['GET', '/api/v1/watch/pods/a', 404, 'NotFound'],
  ['POST', '/api/v1/watch/configmaps', 405, 'MethodNotAllowed'],
  ['GET', '/api/v1/namespaces/default/configmaps/a/b/c', 404, 'NotFound'],
];
for (const [method, path, status, reason] of rows)
  test(`${method} ${path} is ${status}`, async () => {
    const { status: answered, body } = await server.ask(method, path);
    assert.equal([answered, body.reason], [status, reason]);
  });
test('what is made where a namespace is missing lacks it', async () => {
  const { status, body } = await server.post('/api/v1/namespaces//configmaps', { metadata: { name: 'a' } });
  assert.equal([status, body.message], [422, 'ConfigMap "a" is invalid: metadata.namespace: Required value']);
});
test('a group that is not served is no page at all', async () => {
  const { status, headers, body } = await server.get('/apis/none.example/v1/things');
  assert.equal([status, body], [404, '404 page not found\n']);
  assert.equal([headers.get('content-type'), headers.get('x-content-type-options')], ['text/plain; charset=utf-8', 'nosniff']);
});
test('a refusal is taken for nothing but its type', async () => {
  const { status, headers } = await server.get('/api/v1/namespaces', { 'impersonate-user': 'nobody' });
  assert.equal([status, headers.get('content-type'), headers.get('x-content-type-options')], [403, 'application/json', 'nosniff']);
});
test('what a client accepts is settled before its query is read', async () => {
  assert.is((await server.get('/api/v1/namespaces?limit=x', { accept: 'image/png' })).status, 406);
});

test.run();
