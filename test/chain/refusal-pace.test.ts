import { mock } from 'node:test';
import { setImmediate as round } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RefusalPace } from '../../runtime/chain/refusal-pace.ts';

const test = suite('the pace of refusals');
test('some of a second leave at once, others about a second later, a few in each round', async () => {
  const pace = new RefusalPace();
  const atOnce = Array.from({ length: 100 }, () => pace.next());
  assert.ok(atOnce.every((wait) => wait === undefined));
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let left = 0;
    const late = Array.from({ length: 50 }, () => pace.next()?.then(() => left++));
    assert.ok(late.every((wait) => wait instanceof Promise));
    mock.timers.tick(499);
    await round();
    assert.is(left, 0);
    mock.timers.tick(1_001);
    for (let before = left; left < 50; before = left) {
      await round();
      assert.ok(left - before <= 16, `${left - before} in one round`);
    }
    await Promise.all(late);
  } finally {
    mock.timers.reset();
  }
});
test.run();
