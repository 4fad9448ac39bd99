/** Waiting for longer than one timer of Node does, which is some 24.8 days. */
import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LongTimer, pause } from '../../../runtime/client/timers/long-timer.ts';

const DAY = 86_400_000;
const LONGEST = 2 ** 31 - 1;
const test = suite('a long timer');
test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after.each(() => mock.timers.reset());

/** Lets time pass as timers of Node can. */
function pass(milliseconds: number): void {
  let left = milliseconds;
  for (; left > LONGEST; left -= LONGEST) mock.timers.tick(LONGEST);
  mock.timers.tick(left);
}

for (const days of [1, 24, 25, 60, 1_000])
  test(`waits ${days} days`, () => {
    let acts = 0;
    new LongTimer(days * DAY, () => acts++);
    pass(days * DAY - 1);
    assert.is(acts, 0);
    pass(1);
    assert.is(acts, 1);
  });
test('is called off after a long time', () => {
  let acts = 0;
  const timer = new LongTimer(60 * DAY, () => acts++);
  pass(30 * DAY);
  timer.cancel();
  pass(60 * DAY);
  assert.is(acts, 0);
});
test('waits for ever where it has no end', () => {
  let acts = 0;
  const timer = new LongTimer(Number.POSITIVE_INFINITY, () => acts++);
  pass(100 * DAY);
  assert.is(acts, 0);
  timer.cancel();
});
test('makes a pause of any length, which a signal ends', async () => {
  let state = 'waits';
  const paused = pause(60 * DAY).then(() => {
    state = 'over';
  });
  pass(59 * DAY);
  await Promise.resolve();
  assert.is(state, 'waits');
  pass(DAY);
  await paused;
  assert.is(state, 'over');
  const ending = new AbortController();
  const reason = new Error('enough');
  const waiting = pause(60 * DAY, ending.signal).catch((error: unknown) => error);
  ending.abort(reason);
  assert.is(await waiting, reason);
  assert.is(await pause(1, ending.signal).catch((error: unknown) => error), reason);
});
test.run();
