import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedServer } from './asked-server.ts';

const test = suite('metrics');
const server = await AskedServer.start();
test.after(() => server.stop());

test('are text that collectors read', async () => {
  const { status, headers, body } = await server.get('/metrics');
  assert.is(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(body, /^# HELP \S+ .+\n# TYPE \S+ (?:counter|gauge|histogram)\n/m);
});
test('of the health checks stand on their own', async () => {
  await server.get('/readyz');
  assert.match((await server.get('/metrics/slis')).body, /kubernetes_healthcheck\{name="ping",type="readyz"\} 1/);
});
for (const method of ['POST', 'PUT', 'PATCH', 'OPTIONS'])
  test(`are what a ${method} gets too`, async () => {
    for (const path of ['/metrics', '/metrics/slis']) {
      const { status, body } = await server.ask(method, path);
      assert.is(status, 200);
      assert.match(body, /^# HELP /);
    }
  });
test('are compressed once there are many of them, for collectors that take that', async () => {
  const resources = ['pods', 'secrets', 'configmaps', 'services', 'endpoints', 'events', 'podtemplates', 'limitranges'];
  for (const resource of resources)
    for (const path of [`/api/v1/${resource}`, `/api/v1/namespaces/default/${resource}`, `/api/v1/namespaces/default/${resource}/none`])
      await server.get(path);
  const compressed = await server.get('/metrics', { 'accept-encoding': 'gzip' });
  assert.is(compressed.headers.get('content-encoding'), 'gzip');
  assert.match(compressed.body, /^# HELP /);
  assert.is((await server.get('/metrics', { 'accept-encoding': 'identity' })).headers.get('content-encoding'), null);
});
test('are not set back', async () => assert.is((await server.ask('DELETE', '/metrics')).status, 404));

test.run();
