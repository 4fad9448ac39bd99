/** How long numbers last, and what the metrics of levels say of it. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../generated/metrics.ts';
import { FlowMetrics } from '../../runtime/fairness/flow-metrics.ts';
import { LastingCount } from '../../runtime/fairness/lasting-count.ts';
import type { Place } from '../../runtime/fairness/place.ts';
import { PriorityLevels } from '../../runtime/fairness/priority-levels.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { TestClock } from './flow-clock.ts';

const test = suite('what lasts on a level');

test('a number is known with the time of each of its values', () => {
  const count = new LastingCount(100);
  count.set(2, 110);
  count.set(2, 120);
  count.set(0, 130);
  assert.equal(count.take(135), [
    [0, 15],
    [2, 20],
  ]);
  assert.equal(count.take(140), [[0, 5]]);
  assert.equal(count.take(140), []);
});

const LEVEL = 'small';
const WORK = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };

/** A level with eight seats and a queue for four. */
function level() {
  const [clock, metrics] = [new TestClock(), new Metrics(metricsData)];
  const levels = new PriorityLevels<{ readonly schema: { readonly name: string } }>(clock, 8);
  const queuing = { queues: 1, handSize: 1, queueLengthLimit: 4 };
  const limited = { nominalConcurrencyShares: 1_000_000, limitResponse: { type: 'Queue', queuing } };
  const object = { metadata: { name: LEVEL }, spec: { type: 'Limited', limited } } as never;
  levels.configure([object]);
  new FlowMetrics(metrics).show(levels);
  const { queues } = levels.get(LEVEL) as NonNullable<ReturnType<typeof levels.get>>;
  const ask = (): Place<unknown> => queues.start({ schema: { name: 'a' } }, WORK, [0]) as Place<unknown>;
  const rows = async (name: string, labels = ''): Promise<string[]> => {
    const { body } = await metrics.text();
    return body.split('\n').flatMap((line) => {
      const row = line.startsWith(`apiserver_flowcontrol_${name}`) && line.includes(`priority_level="${LEVEL}"`) && line.includes(labels);
      return row ? [line.replace(/^[a-z_]*_(bucket|sum|count){.*?(?:le="([^"]*)")?}/, '$1$2')] : [];
    });
  };
  return { clock, levels, queues, ask, rows };
}

test('seats in use are told of in nanoseconds, as parts of the limit', async () => {
  const { clock, queues, ask, rows } = level();
  assert.is(queues.limit, 8);
  clock.pass(2);
  const places = [ask(), ask()];
  clock.pass(3);
  for (const place of places) queues.end(place as never);
  const told = await rows('priority_level_seat_utilization');
  assert.equal(told.slice(0, 4), ['bucket0 2000000', 'bucket0.1 2000000', 'bucket0.2 2000000', 'bucket0.3 5000000']);
  assert.equal(told.slice(-2), ['sum 750000', 'count 5000000']);
});

test('requests that run and that wait are told of apart', async () => {
  const { clock, ask, rows } = level();
  for (let i = 0; i < 10; i++) ask();
  clock.pass(1);
  const running = await rows('priority_level_request_utilization', 'phase="executing"');
  assert.equal(running.slice(-3), ['bucket+Inf 1000000', 'sum 1000000', 'count 1000000']);
  const waiting = await rows('priority_level_request_utilization', 'phase="waiting"');
  assert.equal(waiting.slice(-2), ['sum 500000', 'count 1000000']);
  assert.equal((await rows('demand_seats_')).slice(-2), ['sum 1250000', 'count 1000000']);
});

test('what was before a change of the configuration is told of as it was then', async () => {
  const { clock, levels, ask, rows } = level();
  ask();
  clock.pass(1);
  levels.configure([]);
  clock.pass(1);
  assert.equal((await rows('priority_level_seat_utilization')).slice(-1), ['count 2000000']);
  assert.is(
    (await rows('priority_level_seat_utilization')).find((row) => row.startsWith('bucket0.2 ')),
    'bucket0.2 2000000',
  );
});
test.run();
