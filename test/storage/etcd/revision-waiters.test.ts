import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RevisionWaiters } from '../../../runtime/storage/etcd/revision-waiters.ts';
import { rejection } from '../contract/store.ts';

const waiting = suite('waiting for revisions');

waiting('who waits for what is there does not wait, and the others are told in their turn', async () => {
  const waiters = new RevisionWaiters(5);
  const reached: number[] = [];
  const wait = (revision: number) => waiters.reached(revision).then(() => void reached.push(revision));
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
  const waiters = new RevisionWaiters(5);
  let woken = false;
  const six = waiters.reached(6).then(() => (woken = true));
  waiters.advance(5);
  await new Promise(setImmediate);
  assert.not(woken);
  waiters.advance(6);
  await six;
});

waiting('the end is told to all who wait, and to who comes later', async () => {
  const waiters = new RevisionWaiters(5);
  const over = new Error('over');
  const failed = [rejection(waiters.reached(6)), rejection(waiters.reached(7))];
  waiters.end(over);
  assert.equal(await Promise.all(failed), [over, over]);
  assert.not(waiters.isAwaited);
  assert.is(await rejection(waiters.reached(6)), over);
  // what is there stays there
  await waiters.reached(5);
});

waiting.run();
