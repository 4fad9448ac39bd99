import type { Context } from 'koa';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsHandler } from '../../../../runtime/endpoints/handlers/pages/metrics.ts';
import type { Metrics } from '../../../../runtime/observability/metrics.ts';
import { AskedServer } from '../asked-server.ts';

const test = suite('metrics');
const server = await AskedServer.start();
test.after(() => server.stop());

test('are text that collectors read', async () => {
  const { status, headers, body } = await server.get('/metrics');
  assert.is(status, 200);
  assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  assert.match(body, /^# HELP \S+ .+\n# TYPE \S+ (?:counter|gauge|histogram)\n/m);
});
for (const path of ['/metrics', '/metrics/slis'])
  test(`of ${path} say when the process began`, async () => {
    const { headers } = await server.get(path);
    const age = Date.now() / 1000 - Number(headers.get('process-start-time-unix'));
    assert.ok(age >= 0 && age < 3600, `${age} s`);
  });
test('are protobuf for who prefers that', async () => {
  const accept = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,text/plain;q=0.5';
  const { headers } = await server.get('/metrics', { accept });
  const type = 'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited; escaping=values';
  assert.is(headers.get('content-type'), type);
  const other = await server.get('/metrics', { accept: 'application/vnd.google.protobuf;encoding=delimited,text/plain;q=0.5' });
  assert.match(other.headers.get('content-type') ?? '', /^text\/plain/);
});
for (const path of ['/metrics', '/metrics/slis'])
  test(`of ${path} are compressed for who takes them so`, async () => {
    const encodings = ['gzip', 'deflate, gzip;q=0.5', 'gzip;q=0', 'identity'];
    const answers = encodings.map((encoding) => server.get(path, { 'accept-encoding': encoding }));
    const told = (await Promise.all(answers)).map(({ headers }) => headers.get('content-encoding'));
    assert.equal(told, ['gzip', 'gzip', null, null]);
  });
for (const [accept, escaping] of [
  ['*/*', 'values'],
  ['text/plain;version=0.0.4;escaping=underscores', 'underscores'],
  ['application/openmetrics-text;escaping=dots,text/plain;q=0.5', 'dots'],
  ['text/plain;version=0.0.4,application/openmetrics-text;escaping=dots;q=0.5', 'values'],
  ['text/plain;escaping=other', 'values'],
] as const)
  test(`say how names are written to who takes ${accept}`, async () => {
    const { headers } = await server.get('/metrics', { accept });
    assert.is(headers.get('content-type'), `text/plain; version=0.0.4; charset=utf-8; escaping=${escaping}`);
  });
test('of many askers at once are made one in each round of the event loop', async () => {
  let inRound = 0;
  let most = 0;
  const made = new Error('made');
  const text = (): never => {
    most = Math.max(most, ++inRound);
    for (const until = performance.now() + 6; performance.now() < until; );
    throw made;
  };
  const rounds = setInterval(() => {
    inRound = 0;
  });
  const ask = metricsHandler({ text } as unknown as Metrics, false);
  const asked = await Promise.allSettled(Array.from({ length: 10 }, () => ask({ method: 'GET' } as Context)));
  clearInterval(rounds);
  for (const outcome of asked) assert.is(outcome.status === 'rejected' && outcome.reason, made);
  assert.ok(most <= 2, `${most} in one round`);
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
test('with labels are set back by a DELETE, and counted anew', async () => {
  const gets = async (): Promise<string | undefined> =>
    /^apiserver_request_total\{[^}]*resource="configmaps"[^}]*verb="GET"[^}]*\} (\d+)$/m.exec((await server.get('/metrics')).body)?.[1];
  const observed = async (): Promise<boolean> =>
    /^apiserver_request_duration_seconds_count\{[^}]*resource="configmaps"[^}]*verb="GET"/m.test((await server.get('/metrics')).body);
  const get = () => server.get('/api/v1/namespaces/default/configmaps/none');
  await get();
  assert.ok(Number(await gets()) > 0);
  assert.ok(await observed());
  const { status, headers, body } = await server.ask('DELETE', '/metrics');
  assert.equal([status, headers.get('content-type'), body], [200, 'text/plain; charset=utf-8', 'metrics reset\n']);
  assert.is(await gets(), undefined);
  assert.not(await observed());
  assert.match((await server.get('/metrics')).body, /^apiserver_\w+ \d/m);
  await get();
  assert.is(await gets(), '1');
  assert.ok(await observed());
});
test('of the health checks are set back on their own', async () => {
  const pings = async () => /kubernetes_healthchecks_total\{name="ping",[^}]*\} (\d+)/.exec((await server.get('/metrics/slis')).body)?.[1];
  await server.get('/readyz');
  assert.ok(Number(await pings()) > 0);
  assert.is((await server.ask('DELETE', '/metrics/slis')).body, 'metrics reset\n');
  assert.is(await pings(), undefined);
});
test('are not set back where nobody may profile the server', async () => {
  const unprofiled = await AskedServer.start('kubernetes', { profiling: false });
  try {
    await unprofiled.get('/api/v1/namespaces/default/configmaps/none');
    assert.match((await unprofiled.ask('DELETE', '/metrics')).body, /^# HELP /);
    assert.match((await unprofiled.get('/metrics')).body, /^apiserver_request_total\{[^}]*resource="configmaps"/m);
  } finally {
    await unprofiled.stop();
  }
});

test.run();
