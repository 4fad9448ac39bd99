import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MetricData } from '../../runtime/contract/metric.ts';
import { combined, type Figures, lasting, NO_FIGURES } from '../../runtime/observability/figures.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';

const test = suite('figures of several processes');
const of = (type: MetricData['type'], more: Partial<MetricData> = {}): MetricData => ({ type, stability: 'ALPHA', help: 'x', ...more });
const TABLE = {
  asked: of('counter', { labels: ['by'] }),
  open: of('gauge', { combined: 'sum' }),
  seen: of('gauge'),
  same: of('counter', { combined: 'highest' }),
  took: of('histogram', { buckets: [1, 10] }),
};

function made(count: number): Metrics {
  const metrics = new Metrics(TABLE);
  for (let i = 0; i < count; i++) metrics.counter('asked').inc({ by: 'a' });
  metrics.counter('asked').inc({ by: `only ${count}` });
  metrics.gauge('open').set({}, count);
  metrics.gauge('seen').set({}, count);
  metrics.counter('same').with({}).inc(7);
  metrics.histogram('took').with({}).observe(count);
  return metrics;
}

test('add up what was counted and observed; of gauges the highest counts, unless they are added up too; counters that all have are told once', async () => {
  const { body } = await made(2).text([made(5).figures(), made(20).figures()]);
  const lines = body.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.equal(lines, [
    'asked{by="a"} 27',
    'asked{by="only 2"} 1',
    'asked{by="only 5"} 1',
    'asked{by="only 20"} 1',
    'open 27',
    'seen 20',
    'same 7',
    'took_bucket{le="1"} 0',
    'took_bucket{le="10"} 2',
    'took_bucket{le="+Inf"} 3',
    'took_sum 27',
    'took_count 3',
  ]);
});

test('that this process has not are told, too', async () => {
  const { body } = await new Metrics(TABLE).text([made(3).figures()]);
  assert.match(body, /^asked\{by="a"\} 3$/m);
  assert.match(body, /^took_sum 3$/m);
});

test('of metrics that this process does not know are left out', async () => {
  const strange: Figures = { values: { other: [{ labels: {}, value: 1 }] }, histograms: {} };
  assert.not.match((await made(1).text([strange])).body, /other/);
});

test('of one that is gone are those that were counted', () => {
  const { values, histograms } = lasting(made(2).figures(), TABLE);
  assert.equal([Object.keys(values), Object.keys(histograms)], [['asked', 'same'], ['took']]);
});

test('of many that are gone share a row where there are too many', () => {
  const counted = (...verbs: string[]): Figures => ({
    values: { asked: verbs.map((by) => ({ labels: { by }, value: 1 })) },
    histograms: {},
  });
  const { values } = combined([counted('A', 'B'), counted('A', 'C'), counted('D')], TABLE, 2);
  assert.equal(values.asked, [
    { labels: { by: 'A' }, value: 2 },
    { labels: { by: 'B' }, value: 1 },
    { labels: { by: 'unexpected' }, value: 2 },
  ]);
});

test('survive being sent', () => {
  const figures = made(3).figures();
  assert.equal(combined([JSON.parse(JSON.stringify(figures)), NO_FIGURES], TABLE), figures);
});

test.run();
