import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionWaiters } from '../../../runtime/storage/etcd/revision-waiters.ts';
import { rejection } from '../contract/store.ts';

const waiting = suite('waiting for revisions');
const late = () => new Error('late');

waiting('who waits for what is there does not wait, and the others are told in their turn', async () => {
  const waiters = new RevisionWaiters(5, () => {});
  const reached: number[] = [];
  const wait = (revision: number) => waiters.reached(revision, 10_000, late).then(() => void reached.push(revision));
  const [five, six, eight, seven] = [wait(5), wait(6), wait(8), wait(7)];
  await five;
  assert.equal(reached, [5]);
  assert.ok(waiters.isAwaited);
  waiters.advance(7);
  await Promise.all([six, seven]);
  assert.equal(reached, [5, 6, 7]);
  assert.is(waiters.current, 7);
  assert.ok(waiters.isAwaited);
  waiters.advance(9);
  await eight;
  assert.not(waiters.isAwaited);
  await wait(9);
});

waiting('an advance by nothing wakes nobody', async () => {
  const waiters = new RevisionWaiters(5, () => {});
  let woken = false;
  const six = waiters.reached(6, 10_000, late).then(() => (woken = true));
  waiters.advance(5);
  await new Promise(setImmediate);
  assert.not(woken);
  waiters.advance(6);
  await six;
});

waiting('the end is told to all who wait, and to who comes later', async () => {
  const waiters = new RevisionWaiters(5, () => {});
  const over = new Error('over');
  const failed = [rejection(waiters.reached(6, 10_000, late)), rejection(waiters.reached(7, 10_000, late))];
  waiters.end(over);
  assert.equal(await Promise.all(failed), [over, over]);
  assert.not(waiters.isAwaited);
  assert.is(await rejection(waiters.reached(6, 10_000, late)), over);
  // what is there stays there
  await waiters.reached(5, 10_000, late);
});

waiting('who has waited for as long as may be is told so, and whoever may wait longer waits on', async () => {
  const since: number[] = [];
  const waiters = new RevisionWaiters(5, (first) => since.push(first));
  const begun = performance.now();
  const longer = waiters.reached(7, 60_000, late);
  assert.match(String(await rejection(waiters.reached(6, 1, late))), /late/);
  assert.ok(waiters.isAwaited);
  waiters.advance(7);
  await longer;
  assert.ok(since.length > 0 && since.every((first) => first >= begun - 1));
});

waiting('who comes when nobody has waited for a while is told in time as well', async () => {
  const waiters = new RevisionWaiters(5, () => {});
  for (const revision of [6, 7]) assert.match(String(await rejection(waiters.reached(revision, 1, late))), /late/);
  assert.not(waiters.isAwaited);
});

waiting('nobody waits any more for just what has come', async () => {
  const waiters = new RevisionWaiters(5, () => {});
  const six = waiters.reached(6, 10_000, late);
  waiters.advance(6);
  assert.not(waiters.isAwaited);
  await six;
});

// timers of the store keep no process alive
const alive = setInterval(() => {}, 1_000);
waiting.after(() => clearInterval(alive));

waiting.run();
