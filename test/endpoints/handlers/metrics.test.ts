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
test('are for GET alone', async () => assert.is((await server.ask('POST', '/metrics')).status, 404));

test.run();
