/** Spans on their way to a collector that takes its time. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SpanQueue, type SpanQueueParts } from '../../runtime/tracing/span-queue.ts';

const span = (size = 1): Buffer => Buffer.alloc(size);

/** Sends when it is told to. */
class TestCollector {
  readonly sent: number[] = [];
  readonly underWay: PromiseWithResolvers<void>[] = [];
  readonly dropped: Record<string, number> = {};
  taken = 0;
  readonly parts: SpanQueueParts;

  constructor(limits: Partial<SpanQueueParts['limits']> = {}, lastWait = 10_000) {
    this.parts = {
      send: (spans, signal) => {
        this.sent.push(spans.length);
        const answer = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => answer.reject(new Error('given up')));
        this.underWay.push(answer);
        return answer.promise;
      },
      taken: (spans) => {
        this.taken += spans;
      },
      dropped: (spans, reason) => {
        this.dropped[reason] = (this.dropped[reason] ?? 0) + spans;
      },
      limits: { queued: 10, batch: 4, delay: 600_000, ...limits },
      lastWait,
    };
  }

  async answer(error?: Error): Promise<void> {
    const answer = this.underWay.shift() as PromiseWithResolvers<void>;
    if (error === undefined) answer.resolve();
    else answer.reject(error);
    await nextTurn();
  }
}

const test = suite('spans that wait');
test('leave as soon as a batch is full, one batch at a time', async () => {
  const collector = new TestCollector();
  const queue = new SpanQueue(collector.parts);
  for (let i = 0; i < 3; i++) queue.add(span());
  assert.equal(collector.sent, []);
  for (let i = 0; i < 7; i++) queue.add(span());
  assert.equal(collector.sent, [4]);
  await collector.answer();
  assert.equal(collector.sent, [4, 4]);
  await collector.answer();
  // two wait for others
  assert.equal(collector.sent, [4, 4]);
  assert.is(collector.taken, 8);
  const closed = queue.close();
  assert.equal(collector.sent, [4, 4, 2]);
  await collector.answer();
  await closed;
  assert.is(collector.taken, 10);
  assert.equal(collector.dropped, {});
});
test('leave after a while', async () => {
  const collector = new TestCollector({ delay: 1 });
  new SpanQueue(collector.parts).add(span());
  for (const until = Date.now() + 5_000; collector.sent.length === 0 && Date.now() < until; ) await nextTurn();
  assert.equal(collector.sent, [1]);
});
test('are dropped where too many wait, and where they are not taken', async () => {
  const collector = new TestCollector();
  const queue = new SpanQueue(collector.parts);
  for (let i = 0; i < 20; i++) queue.add(span());
  // four are under way, ten wait
  assert.equal(collector.dropped, { queue_full: 6 });
  await collector.answer(new Error('no'));
  assert.equal(collector.dropped, { queue_full: 6, not_taken: 4 });
  assert.equal(collector.sent, [4, 4]);
  await collector.answer();
  await collector.answer();
  assert.is(collector.taken, 6 + 2);
});
test('are no more bytes at a time than collectors take', async () => {
  const collector = new TestCollector({ batch: 10 });
  const queue = new SpanQueue(collector.parts);
  for (let i = 0; i < 4; i++) queue.add(span(1_200_000));
  const closed = queue.close();
  assert.equal(collector.sent, [2]);
  await collector.answer();
  assert.equal(collector.sent, [2, 2]);
  await collector.answer();
  await closed;
  assert.is(collector.taken, 4);
});
test('are given up when the server has waited long enough for its end', async () => {
  const collector = new TestCollector({}, 20);
  const queue = new SpanQueue(collector.parts);
  for (let i = 0; i < 9; i++) queue.add(span());
  await queue.close();
  assert.equal(collector.sent, [4]);
  queue.add(span());
  assert.equal(collector.dropped, { shutdown: 10 });
});
test('an end without any is at once', async () => {
  const collector = new TestCollector();
  await new SpanQueue(collector.parts).close();
  assert.equal(collector.sent, []);
});
test.run();
