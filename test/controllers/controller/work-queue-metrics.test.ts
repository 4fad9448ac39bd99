import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { WorkQueue } from '../../../runtime/client/work-queue/work-queue.ts';
import { WorkQueueMetrics } from '../../../runtime/controllers/controller/work-queue-metrics.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';

/** Rows without their labels, by the end of their names. */
async function shown(metrics: Metrics): Promise<Record<string, number>> {
  const lines = (await metrics.text()).body.split('\n').filter((line) => line.startsWith('workqueue_') && !line.includes('_bucket'));
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = '', value] = /^workqueue_(\w+)\{name="q"\} (.*)$/.exec(line) ?? [];
      return [name, Number(value)];
    }),
  );
}

const test = suite('figures of a work queue');
test('tell what waits, what is under way and how long both took', async () => {
  let now = 0;
  const metrics = new Metrics(metricsData);
  const observer = new WorkQueueMetrics(metrics, 'q', () => now);
  for (const key of ['a', 'b', 'c']) observer.added(key);
  now = 2_000;
  observer.begun('a');
  observer.begun('b');
  observer.added('a');
  now = 5_000;
  observer.ended('b');
  observer.retried();
  now = 6_000;
  assert.equal(await shown(metrics), {
    adds_total: 4,
    retries_total: 1,
    queue_duration_seconds_sum: 4,
    queue_duration_seconds_count: 2,
    work_duration_seconds_sum: 3,
    work_duration_seconds_count: 1,
    depth: 2,
    unfinished_work_seconds: 4,
    longest_running_processor_seconds: 4,
  });
  observer.stopped();
  observer.ended('a');
  const { depth, unfinished_work_seconds } = await shown(metrics);
  assert.equal([depth, unfinished_work_seconds], [0, 0]);
});
test('come of what a queue does: each key once as long as it waits, those that are added while they are under way and failures', async () => {
  const metrics = new Metrics(metricsData);
  let failures = 1;
  const later: (() => void)[] = [];
  const queue: WorkQueue = new WorkQueue({
    workers: 1,
    clock: {
      now: () => 0,
      after(_milliseconds, then) {
        later.push(then);
        return () => {};
      },
    },
    observer: new WorkQueueMetrics(metrics, 'q'),
    async process(key) {
      if (key === 'again' && failures-- > 0) {
        queue.add('again');
        queue.add('again');
        throw new Error('not now');
      }
    },
    failed() {},
  });
  for (const key of ['a', 'a', 'again']) queue.add(key);
  await queue.idle();
  for (const add of later) add();
  await queue.idle();
  const { adds_total, retries_total, work_duration_seconds_count, queue_duration_seconds_count, depth } = await shown(metrics);
  // the key that failed was added when it failed, and once its time to wait was over
  assert.equal([adds_total, retries_total, depth], [4, 1, 0]);
  assert.is(work_duration_seconds_count, 4);
  assert.is(queue_duration_seconds_count, 4);
  await queue.stop();
});
test('a queue that has stopped is shown no longer, and the next one of its name is', async () => {
  const metrics = new Metrics(metricsData);
  const stopped = new WorkQueueMetrics(metrics, 'q', () => 0);
  stopped.added('a');
  stopped.begun('a');
  const next = new WorkQueueMetrics(metrics, 'q', () => 0);
  next.added('b');
  stopped.stopped();
  assert.is((await shown(metrics)).depth, 1);
  next.stopped();
  const { depth, unfinished_work_seconds } = await shown(metrics);
  assert.equal([depth, unfinished_work_seconds], [0, 0]);
});
test('a queue that has stopped is not kept', () => {
  const metrics = new Metrics(metricsData);
  let asked = 0;
  const observer = new WorkQueueMetrics(metrics, 'q', () => ++asked);
  observer.added('a');
  observer.begun('a');
  observer.stopped();
  const before = asked;
  metrics.figures();
  assert.is(asked, before);
});
test.run();
