import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../../generated/metrics.ts';
import { healthHandler } from '../../../../runtime/endpoints/handlers/pages/health.ts';
import { HealthMetrics } from '../../../../runtime/observability/health-metrics.ts';
import { AskedServer } from '../asked-server.ts';

const test = suite('health');
const server = await AskedServer.start();
test.after(() => server.stop());

const rows: readonly [path: string, status: number, body: RegExp][] = [
  ['/healthz', 200, /^ok$/],
  ['/livez', 200, /^ok$/],
  ['/readyz', 200, /^ok$/],
  ['/readyz?verbose', 200, /^\[\+\]ping ok\n(?:\[\+\].* ok\n)*readyz check passed\n$/],
  ['/readyz?verbose&exclude=ping', 200, /^\[\+\]ping excluded: ok\n/],
  ['/readyz?verbose&exclude=none', 200, /warn: some health checks cannot be excluded: no matches for "none"\n/],
  ['/readyz?verbose&exclude=b%22&exclude=%01', 200, /no matches for "\\x01","b\\""\n/],
  ['/livez/ping', 200, /^ok$/],
  ['/livez/none', 404, /^404 page not found\n$/],
];
for (const [path, status, body] of rows)
  test(`${path} is ${status}`, async () => {
    const answer = await server.get(path);
    assert.is(answer.status, status);
    assert.match(answer.body, body);
    assert.equal(
      [answer.headers.get('content-type'), answer.headers.get('x-content-type-options')],
      // as in 1.32, where nobody sets the headers of one check that is passed
      ['text/plain; charset=utf-8', path === '/livez/ping' ? null : 'nosniff'],
    );
  });
test('any method is answered', async () => assert.is((await server.ask('POST', '/healthz')).status, 200));
test('the specification has one last line for all three', async () => {
  const cluster = await AskedServer.start('cluster');
  try {
    assert.match((await cluster.get('/livez?verbose')).body, /\nhealthz check passed\n$/);
  } finally {
    await cluster.stop();
  }
});
test('a check that fails is a 500, whose reason is told to who asks for that check', () => {
  const answers: [number, string][] = [];
  const answer = { send: (status: number, _type: string, text: string) => answers.push([status, text]) };
  const logged: object[] = [];
  const handler = healthHandler(
    { identity: { healthPassedName: undefined } as never, log: { info: (fields: object) => logged.push(fields) } as never },
    { of: () => [{ name: 'store', check: () => 'the disk is gone' }] },
    'readyz',
    new HealthMetrics(metricsData),
  );
  for (const path of ['/readyz', '/readyz/store'])
    handler({ state: { info: { path, query: { all: () => [], has: () => false } }, answer }, res: { setHeader: () => {} } } as never);
  assert.equal(answers, [
    [500, '[-]store failed: reason withheld\nreadyz check failed\n'],
    [500, 'internal server error: the disk is gone\n'],
  ]);
  assert.equal(logged, [{ check: 'store', problem: 'the disk is gone' }]);
});

test.run();
