import { once } from 'node:events';
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WorkQueue } from '../../../runtime/client/work-queue/work-queue.ts';
import { eventually } from '../../controllers/server.ts';
import { TestClock } from '../../controllers/test-clock.ts';

const test = suite('work queue');

const settled = (queue: WorkQueue) =>
  eventually(
    () => queue.size === 0,
    () => `${queue.size} keys are left`,
  );

test('a key is processed once, however often it was added before', async () => {
  const seen: string[] = [];
  const queue = new WorkQueue({ workers: 4, process: async (key) => void seen.push(key), failed: () => {} });
  for (const key of ['a', 'b', 'a', 'c', 'a']) queue.add(key);
  await settled(queue);
  assert.equal(seen.sort(), ['a', 'b', 'c']);
  await queue.stop();
});

test('a key that is added while it is under way is processed again, never twice at a time', async () => {
  let running = 0;
  let most = 0;
  let rounds = 0;
  const queue = new WorkQueue({
    workers: 4,
    async process(key) {
      most = Math.max(most, ++running);
      if (++rounds < 5) queue.add(key);
      await round();
      running--;
    },
    failed: () => {},
  });
  queue.add('a');
  await settled(queue);
  assert.is(rounds, 5);
  assert.is(most, 1);
  await queue.stop();
});

test('no more keys are under way than there are workers', async () => {
  let running = 0;
  let most = 0;
  const queue = new WorkQueue({
    workers: 3,
    async process() {
      most = Math.max(most, ++running);
      await round();
      running--;
    },
    failed: () => {},
  });
  for (let i = 0; i < 20; i++) queue.add(String(i));
  await settled(queue);
  assert.is(most, 3);
  await queue.stop();
});

test('what fails is tried again until it does not', async () => {
  const failures: unknown[] = [];
  let attempts = 0;
  const queue = new WorkQueue({
    workers: 1,
    async process() {
      if (++attempts < 4) throw new Error(`attempt ${attempts}`);
    },
    failed: (_key, error) => failures.push((error as Error).message),
  });
  queue.add('a');
  await settled(queue);
  assert.equal(failures, ['attempt 1', 'attempt 2', 'attempt 3']);
  await queue.stop();
});

test('a key whose failure cannot be told is tried again, and others go on', async () => {
  let attempts = 0;
  const seen: string[] = [];
  const warned = once(process, 'warning');
  const queue = new WorkQueue({
    workers: 1,
    async process(key) {
      if (key === 'a' && ++attempts < 3) throw new Error(`attempt ${attempts}`);
      seen.push(key);
    },
    failed() {
      throw new Error('nobody can be told');
    },
  });
  queue.add('a');
  queue.add('b');
  await settled(queue);
  assert.equal(seen, ['b', 'a']);
  assert.is(queue.size, 0);
  assert.is((await warned)[0].message, 'nobody can be told');
  await queue.stop();
});

test('of several times to wait the shortest counts', async () => {
  const clock = new TestClock();
  const seen: string[] = [];
  const queue = new WorkQueue({ workers: 1, clock, process: async (key) => void seen.push(key), failed: () => {} });
  queue.addAfter('a', 60_000);
  queue.addAfter('a', 100);
  queue.addAfter('a', 60_000);
  clock.advance(99);
  await queue.idle();
  assert.equal(seen, []);
  clock.advance(1);
  await settled(queue);
  clock.advance(60_000);
  await queue.idle();
  assert.equal(seen, ['a']);
  await queue.stop();
});

test('what fails again and again waits twice as long each time, half a minute at most', async () => {
  const clock = new TestClock();
  const queue = new WorkQueue({ workers: 1, clock, process: () => Promise.reject(new Error('no')), failed: () => {} });
  queue.add('a');
  for (let i = 0; i < 15; i++) {
    await queue.idle();
    clock.advance(30_000);
  }
  await queue.idle();
  assert.equal(clock.asked, [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 5_120, 10_240, 20_480, 30_000, 30_000, 30_000]);
  await queue.stop();
});

test('keys that come while the last worker leaves are not forgotten', async () => {
  const seen: string[] = [];
  const queue = new WorkQueue({ workers: 1, process: async (key) => void seen.push(key), failed: () => {} });
  for (let i = 0; i < 200; i++) {
    queue.add(String(i));
    await null;
    if (i % 3 === 0) await new Promise(setImmediate);
  }
  await settled(queue);
  assert.is(new Set(seen).size, 200);
  await queue.stop();
});

test('an end waits for what is under way and begins nothing more', async () => {
  const clock = new TestClock();
  const begun: string[] = [];
  const held = Promise.withResolvers<void>();
  const queue = new WorkQueue({
    workers: 1,
    clock,
    async process(key) {
      begun.push(key);
      await held.promise;
      throw new Error('again');
    },
    failed: () => {},
  });
  queue.add('a');
  queue.add('b');
  await eventually(
    () => begun.length > 0,
    () => 'nothing begins',
  );
  let hasEnded = false;
  const stopped = queue.stop().then(() => {
    hasEnded = true;
  });
  await round();
  assert.not(hasEnded);
  held.resolve();
  await stopped;
  queue.add('c');
  queue.addAfter('d', 1);
  clock.advance(60_000);
  await queue.idle();
  assert.equal(begun, ['a']);
  assert.equal([queue.size, clock.asked], [0, []]);
});

test.run();
