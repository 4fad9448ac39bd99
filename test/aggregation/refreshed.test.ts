import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refreshed } from '../../runtime/aggregation/refreshed.ts';

const test = suite('what other servers say');

/** Answers by hand, at a time that the test sets. */
function asked() {
  const waiting: { resolve(value: string): void; reject(error: Error): void; before: string | undefined }[] = [];
  const clock = { now: 0 };
  const refreshed = new Refreshed<string>(
    (before) => new Promise((resolve, reject) => waiting.push({ resolve, reject, before })),
    () => clock.now,
  );
  return { refreshed, waiting, clock };
}

test('is asked for once, however many want it, and then known', async () => {
  const { refreshed, waiting } = asked();
  const both = [refreshed.get(), refreshed.get()];
  assert.is(waiting.length, 1);
  waiting[0]?.resolve('a');
  assert.equal(await Promise.all(both), [{ value: 'a' }, { value: 'a' }]);
  assert.equal(refreshed.get(), { value: 'a' });
});

test('is given while it is asked for anew, until it is too old', async () => {
  const { refreshed, waiting, clock } = asked();
  const first = refreshed.get();
  waiting[0]?.resolve('a');
  await first;
  clock.now = 61_000;
  assert.equal(refreshed.get(), { value: 'a' });
  assert.is(waiting[1]?.before, 'a');
  waiting[1]?.resolve('b');
  await new Promise(setImmediate);
  assert.equal(refreshed.get(), { value: 'b' });
  clock.now = 1_000_000;
  const late = refreshed.get();
  assert.ok(late instanceof Promise);
  waiting[2]?.resolve('c');
  assert.equal(await late, { value: 'c' });
});

test('a failure counts for a while', async () => {
  const { refreshed, waiting, clock } = asked();
  const first = refreshed.get();
  const error = new Error('no');
  waiting[0]?.reject(error);
  assert.equal(await first, { error });
  assert.equal(refreshed.get(), { error });
  assert.is(waiting.length, 1);
  clock.now = 6_000;
  refreshed.get();
  assert.is(waiting.length, 2);
});

test('an answer from before a change is nobody’s afterwards', async () => {
  const { refreshed, waiting } = asked();
  const first = refreshed.get();
  refreshed.invalidate();
  const second = refreshed.get();
  waiting[0]?.resolve('old');
  assert.equal(await first, { value: 'old' });
  waiting[1]?.resolve('new');
  assert.equal(await second, { value: 'new' });
  assert.equal(refreshed.get(), { value: 'new' });
});

test.run();
