import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AuthenticationMetrics } from '../../runtime/authentication/authentication-metrics.ts';
import { AuthorizationMetrics } from '../../runtime/authorization/authorization-metrics.ts';
import { exponentialBounds, Metrics } from '../../runtime/observability/metrics.ts';

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  return (await metrics.text()).body.split('\n').filter((line) => line.startsWith(name));
}

const test = suite('figures');
test('counters count by their labels, with labels looked up once or each time', async () => {
  const metrics = new Metrics();
  const counter = metrics.counter('c_total', 'Counted.', ['a']);
  const x = counter.with({ a: 'x' });
  x.inc();
  x.inc();
  counter.inc({ a: 'x' });
  counter.inc({ a: 'y' });
  counter.with({ a: 'never' });
  assert.equal(await linesOf(metrics, 'c_total'), ['c_total{a="x"} 3', 'c_total{a="y"} 1']);
});
test('what is declared again goes on', async () => {
  const metrics = new Metrics();
  for (let n = 0; n < 2; n++) {
    metrics.counter('c_total', 'Counted.', []).inc({});
    metrics.histogram('h', 'Observed.', [1]).with({}).observe(2);
  }
  assert.equal(await linesOf(metrics, 'c_total'), ['c_total 2']);
  assert.equal(await linesOf(metrics, 'h_count'), ['h_count{} 2']);
});
test('histograms show how many values reach at most each bound', async () => {
  const metrics = new Metrics();
  const of = metrics.histogram('h', 'Observed.', [1, 2.5]).with({ a: 'x"y' });
  for (const value of [0.5, 1, 2, 2.5, 9]) of.observe(value);
  assert.equal((await metrics.text()).body.trim().split('\n'), [
    '# HELP h Observed.',
    '# TYPE h histogram',
    'h_bucket{a="x\\"y",le="1"} 2',
    'h_bucket{a="x\\"y",le="2.5"} 4',
    'h_bucket{a="x\\"y",le="+Inf"} 5',
    'h_sum{a="x\\"y"} 15',
    'h_count{a="x\\"y"} 5',
  ]);
});
test('bounds grow by a factor', () => assert.equal(exponentialBounds(1, 2, 4), [1, 2, 4, 8]));
test('users are counted under few names', async () => {
  const metrics = new Metrics();
  const authentication = new AuthenticationMetrics(metrics);
  for (const user of ['admin', 'jane@example.org', 'alice', 'system:node:a']) authentication.record('success', 0, user);
  authentication.record('error', 0, '');
  authentication.record('failure', 0, '');
  const name = 'authenticated_user_requests';
  assert.equal((await linesOf(metrics, name)).sort(), [
    `${name}{username="admin"} 1`,
    `${name}{username="email_id"} 1`,
    `${name}{username="other"} 2`,
  ]);
  assert.equal((await linesOf(metrics, 'authentication_attempts')).sort(), [
    'authentication_attempts{result="error"} 1',
    'authentication_attempts{result="failure"} 1',
    'authentication_attempts{result="success"} 4',
  ]);
});
test('decisions are counted by their result', async () => {
  const metrics = new Metrics();
  const authorization = new AuthorizationMetrics(metrics);
  authorization.record({ decision: 'allow', reason: '', error: 'something before' }, 0);
  authorization.record({ decision: 'deny', reason: '' }, 0);
  authorization.record({ decision: 'noOpinion', reason: '' }, 0);
  authorization.record({ decision: 'noOpinion', reason: '', error: 'broken' }, 0);
  const name = 'authorization_attempts_total';
  const results = ['allowed', 'denied', 'error', 'no-opinion'];
  assert.equal(
    (await linesOf(metrics, name)).sort(),
    results.map((result) => `${name}{result="${result}"} 1`),
  );
});
test.run();
