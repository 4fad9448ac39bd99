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
test('are not set back', async () => assert.is((await server.ask('DELETE', '/metrics')).status, 404));

test.run();
