import { globSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { AuthenticationMetrics } from '../../runtime/authentication/authentication-metrics.ts';
import { AuthorizationMetrics } from '../../runtime/authorization/authorization-metrics.ts';
import { MOST_ROWS } from '../../runtime/observability/label-bounds.ts';
import { Metrics, type MetricsTable } from '../../runtime/observability/metrics.ts';

async function linesOf(metrics: Metrics, name: string): Promise<string[]> {
  return (await metrics.text()).body.split('\n').filter((line) => line.startsWith(name));
}

const table: MetricsTable = {
  c_total: { type: 'counter', stability: 'ALPHA', labels: ['a'], help: 'Counted.' },
  d_total: { type: 'counter', stability: 'ALPHA', help: 'Counted.' },
  h: { type: 'histogram', stability: 'ALPHA', buckets: [1, 2.5], help: 'Observed.' },
  recent_total: { type: 'counter', stability: 'STABLE', since: '1.20', deprecated: '1.30', help: 'Counted.' },
  old_total: { type: 'counter', stability: 'STABLE', since: '1.20', deprecated: '1.29', help: 'Counted.' },
  old_seconds: { type: 'histogram', stability: 'STABLE', since: '1.20', deprecated: '1.28', buckets: [1], help: 'Observed.' },
};
const test = suite('figures');
test('counters count by their labels, with labels looked up once or each time', async () => {
  const metrics = new Metrics(table);
  const counter = metrics.counter('c_total');
  const x = counter.with({ a: 'x' });
  x.inc();
  x.inc();
  counter.inc({ a: 'x' });
  counter.inc({ a: 'y' });
  counter.with({ a: 'never' });
  assert.equal(await linesOf(metrics, 'c_total'), ['c_total{a="x"} 3', 'c_total{a="y"} 1']);
});
test('what another has taken of its counters and histograms is added, once', async () => {
  const [thread, server] = [new Metrics(table), new Metrics(table)];
  const x = thread.counter('c_total').with({ a: 'x' });
  const observed = thread.histogram('h').with({});
  x.inc(2);
  observed.observe(2);
  server.counter('c_total').inc({ a: 'x' });
  server.histogram('h').with({}).observe(9);
  server.add(thread.take());
  assert.equal(thread.take(), { values: {}, histograms: {} });
  x.inc();
  observed.observe(0.5);
  server.add(thread.take());
  assert.equal(await linesOf(server, 'c_total'), ['c_total{a="x"} 4']);
  assert.equal(await linesOf(server, 'h_'), [
    'h_bucket{le="1"} 1',
    'h_bucket{le="2.5"} 2',
    'h_bucket{le="+Inf"} 3',
    'h_sum 11.5',
    'h_count 3',
  ]);
});
test('what is declared again goes on', async () => {
  const metrics = new Metrics(table);
  for (let n = 0; n < 2; n++) {
    metrics.counter('d_total').inc({});
    metrics.histogram('h').with({}).observe(2);
  }
  assert.equal(await linesOf(metrics, 'd_total'), ['d_total 2']);
  assert.equal(await linesOf(metrics, 'h_count'), ['h_count 2']);
});
test('values of 0 that several labels have at once are shown with those that were observed, and set back with them', async () => {
  const metrics = new Metrics(table);
  const histogram = metrics.histogram('h');
  const zeros = histogram.zeros([{ a: 'x' }, { a: 'y' }]);
  const shown = () => metrics.figures().histograms.h?.map(({ labels, counts, sum }) => [labels.a, [...counts], sum]);
  assert.equal(shown(), []);
  histogram.with({ a: 'x' }).observe(2);
  zeros.inc();
  zeros.inc();
  const expected = [
    ['x', [2, 1, 0], 2],
    ['y', [2, 0, 0], 0],
  ];
  assert.equal(shown(), expected);
  assert.equal(shown(), expected);
  zeros.inc();
  metrics.reset();
  assert.equal(shown(), []);
  zeros.inc();
  assert.equal(shown(), [
    ['x', [1, 0, 0], 0],
    ['y', [1, 0, 0], 0],
  ]);
});

test('histograms show how many values reach at most each bound', async () => {
  const metrics = new Metrics(table);
  const of = metrics.histogram('h').with({ a: 'x"y' });
  for (const value of [0.5, 1, 2, 2.5, 9]) of.observe(value);
  assert.equal((await metrics.text()).body.trim().split('\n'), [
    '# HELP h [ALPHA] Observed.',
    '# TYPE h histogram',
    'h_bucket{a="x\\"y",le="1"} 2',
    'h_bucket{a="x\\"y",le="2.5"} 4',
    'h_bucket{a="x\\"y",le="+Inf"} 5',
    'h_sum{a="x\\"y"} 15',
    'h_count{a="x\\"y"} 5',
  ]);
});
test('what is looked at when somebody asks is looked at each time, until it is stopped', async () => {
  const metrics = new Metrics({ ...table, g: { type: 'gauge', stability: 'ALPHA', labels: ['a'], help: 'Looked at.' } });
  const gauge = metrics.gauge('g');
  let asked = 0;
  const stop = metrics.beforeScrape(() => gauge.replace([{ labels: { a: `x${++asked}` }, value: asked }]));
  assert.equal(await linesOf(metrics, 'g{'), ['g{a="x1"} 1']);
  assert.equal(await linesOf(metrics, 'g{'), ['g{a="x2"} 2']);
  stop();
  assert.equal(await linesOf(metrics, 'g{'), ['g{a="x2"} 2']);
});
test('figures are counted by what comes of them', async () => {
  const themselves = (labels: readonly string[] = []) =>
    ({ type: 'counter', stability: 'BETA', since: '1.28', labels, help: 'Counted.' }) as const;
  const counted = {
    ...table,
    registered_metrics_total: themselves(['deprecated_version', 'stability_level']),
    hidden_metrics_total: themselves(),
    disabled_metrics_total: themselves(),
  };
  const visibility = { release: '1.32', showHiddenFor: '', onDeprecated: () => {} };
  const metrics = new Metrics(counted, visibility, { disabled: ['c_total', 'unknown'] });
  metrics.countThemselves();
  assert.equal((await linesOf(metrics, 'registered_metrics_total')).sort(), [
    'registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 2',
    'registered_metrics_total{deprecated_version="",stability_level="BETA"} 3',
    'registered_metrics_total{deprecated_version="1.30.0",stability_level="STABLE"} 1',
  ]);
  assert.equal(await linesOf(metrics, 'hidden_metrics_total'), ['hidden_metrics_total 2']);
  assert.equal(await linesOf(metrics, 'disabled_metrics_total'), ['disabled_metrics_total 2']);
});
test('figures that are disabled are not collected', async () => {
  const metrics = new Metrics(table, undefined, { disabled: ['c_total', 'h', 'unknown'] });
  for (const a of ['x', 'y']) {
    metrics.counter('c_total').inc({ a });
    metrics.histogram('h').with({ a }).observe(1);
  }
  metrics.counter('d_total').inc({});
  assert.equal(
    (await metrics.text()).body.split('\n').filter((line) => /^[cdh]/.test(line)),
    ['d_total 1'],
  );
  assert.equal(Object.keys(metrics.figures().values), ['d_total']);
});
const outside = 'cardinality_enforcement_unexpected_categorizations_total';
const bounded: MetricsTable = {
  c_total: { type: 'counter', stability: 'ALPHA', labels: ['a', 'b'], help: 'Counted.' },
  h: { type: 'histogram', stability: 'ALPHA', labels: ['a'], buckets: [1], help: 'Observed.' },
  [outside]: { type: 'counter', stability: 'ALPHA', help: 'Outside.' },
};
test('labels are shown by name, however they were counted', async () => {
  const data = { stability: 'ALPHA', labels: ['b', 'a'], help: 'Counted.' } as const;
  const metrics = new Metrics({ c_total: { ...data, type: 'counter' }, h: { ...data, type: 'histogram', buckets: [1] } });
  metrics.counter('c_total').inc({ b: '1', a: '2' });
  metrics.histogram('h').with({ z: '1', b: '2' }).observe(0);
  assert.equal(await linesOf(metrics, 'c_total'), ['c_total{a="2",b="1"} 1']);
  assert.equal(await linesOf(metrics, 'h_bucket'), ['h_bucket{b="2",z="1",le="1"} 1', 'h_bucket{b="2",z="1",le="+Inf"} 1']);
});
test('values of labels that are not allowed are one, and counted', async () => {
  const allowed = new Map([['a', new Set(['x'])]]);
  const metrics = new Metrics(bounded, undefined, {
    allowedLabels: new Map([
      ['c_total', allowed],
      ['h', allowed],
    ]),
  });
  for (const a of ['x', 'y', 'z']) {
    metrics.counter('c_total').inc({ a, b: a === 'x' ? '1' : '2' });
    metrics.histogram('h').with({ a }).observe(0);
  }
  assert.equal(await linesOf(metrics, 'c_total'), ['c_total{a="x",b="1"} 1', 'c_total{a="unexpected",b="2"} 2']);
  assert.equal(await linesOf(metrics, 'h_count'), ['h_count{a="x"} 1', 'h_count{a="unexpected"} 2']);
  assert.equal(await linesOf(metrics, outside), [`${outside} 4`]);
});
test('a figure has a bounded number of rows, whatever is counted', async () => {
  const metrics = new Metrics(bounded);
  const counter = metrics.counter('c_total');
  for (let n = 0; n < MOST_ROWS + 10; n++) counter.inc({ a: String(n), b: '' });
  counter.inc({ a: '0', b: '' });
  const lines = await linesOf(metrics, 'c_total');
  assert.is(lines.length, MOST_ROWS + 1);
  assert.is(lines[0], 'c_total{a="0",b=""} 2');
  assert.is(lines.at(-1), 'c_total{a="unexpected",b="unexpected"} 10');
});
test('names that the table does not have, or has for something else, are refused', () => {
  const metrics = new Metrics(table);
  assert.throws(() => metrics.counter('constructor'), /no counter is named constructor/);
  assert.throws(() => metrics.gauge('c_total'), /no gauge is named c_total/);
  assert.throws(() => metrics.histogram('c_total'), /no histogram is named c_total/);
});
test('deprecated figures say so, are hidden three releases later, and shown for one release more to those who ask', async () => {
  const shown = async (showHiddenFor: string) => {
    const told: string[] = [];
    const metrics = new Metrics(table, { release: '1.32', showHiddenFor, onDeprecated: (name, since) => told.push(`${name} ${since}`) });
    for (const name of ['recent_total', 'old_total', 'd_total']) metrics.counter(name).inc({});
    metrics.histogram('old_seconds').with({}).observe(1);
    assert.equal(told, ['recent_total 1.30', 'old_total 1.29', 'old_seconds 1.28']);
    return linesOf(metrics, '# HELP');
  };
  const recent = ['# HELP recent_total [STABLE] (Deprecated since 1.30.0) Counted.', '# HELP d_total [ALPHA] Counted.'];
  assert.equal(await shown(''), recent);
  const old = [
    '# HELP old_total [STABLE] (Deprecated since 1.29.0) Counted.',
    '# HELP old_seconds [STABLE] (Deprecated since 1.28.0) Observed.',
  ];
  assert.equal((await shown('1.31')).sort(), [...recent, ...old].sort());
  for (const other of ['1.30', '1.32', 'x'])
    assert.throws(
      () => new Metrics(table, { release: '1.32', showHiddenFor: other, onDeprecated: () => {} }),
      /^--show-hidden-metrics-for-version must be omitted or have the value '1\.31'\. Only the previous minor version is allowed$/,
    );
});
test('the table has every figure that code counts, and no other', () => {
  const uses = globSync('runtime/**/*.ts').flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(/(?:etrics\.(?:counter|gauge|histogram)|\.(?:count|distribution)\?\.)\(['`]([^'`]+)['`][,)]/g),
    ].map(([, name]) => new RegExp(`^${(name as string).replaceAll(/\$\{[^}]*\}/g, '[a-z0-9_]+')}$`)),
  );
  const names = Object.keys(metricsData);
  assert.equal(
    names.filter((name) => !uses.some((use) => use.test(name))),
    [],
  );
  assert.equal(
    uses.filter((use) => !names.some((name) => use.test(name))),
    [],
  );
  assert.ok(uses.length > 15);
});
test('users are counted under few names', async () => {
  const metrics = new Metrics(metricsData);
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
  const metrics = new Metrics(metricsData);
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
