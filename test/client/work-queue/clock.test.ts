import { mock } from 'node:test';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROCESS_CLOCK } from '../../../runtime/client/work-queue/clock.ts';

const DAY = 86_400_000;
const test = suite('the clock of the process');
test.before.each(() => mock.timers.enable({ apis: ['setTimeout'] }));
test.after.each(() => mock.timers.reset());

for (const days of [1, 24, 25, 60, 1_000])
  test(`waits ${days} days`, () => {
    let acts = 0;
    PROCESS_CLOCK.after(days * DAY, () => acts++);
    // as long as one timer of Node waits
    const longest = 2 ** 31 - 1;
    let left = days * DAY - 1;
    for (; left > longest; left -= longest) mock.timers.tick(longest);
    mock.timers.tick(left);
    assert.is(acts, 0);
    mock.timers.tick(1);
    assert.is(acts, 1);
  });

test('calls off what it has waited for a long time', () => {
  let acts = 0;
  const callOff = PROCESS_CLOCK.after(60 * DAY, () => acts++);
  mock.timers.tick(30 * DAY);
  callOff();
  mock.timers.tick(60 * DAY);
  assert.is(acts, 0);
});
test.run();
