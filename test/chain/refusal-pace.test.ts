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
test('of a crowd leave at 250 in a second, and none later than after eight seconds', async () => {
  const pace = new RefusalPace();
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    let left = 0;
    const late = Array.from({ length: 100 + 4_000 }, () => pace.next()).flatMap((wait) =>
      wait === undefined ? [] : [wait.then(() => left++)],
    );
    assert.is(late.length, 4_000);
    const after = async (milliseconds: number): Promise<number> => {
      mock.timers.tick(milliseconds);
      for (let before = -1; before < left; ) {
        before = left;
        for (let i = 0; i < 20; i++) await round();
      }
      return left;
    };
    for (const second of [2, 3, 4, 5, 6, 7]) {
      const now = await after(second === 2 ? 2_000 : 1_000);
      assert.ok(Math.abs(now - 250 * second) <= 50, `${now} after ${second} seconds`);
    }
    assert.is(await after(1_100), 4_000);
    await Promise.all(late);
  } finally {
    mock.timers.reset();
  }
});
test('of a few who come when a large crowd has gone leave as soon as ever', async () => {
  const pace = new RefusalPace();
  mock.timers.enable({ apis: ['setTimeout'] });
  const { now } = performance;
  let time = now.call(performance);
  performance.now = () => time;
  try {
    for (let i = 0; i < 100_000; i++) pace.next();
    time += 9_000;
    mock.timers.tick(9_000);
    for (let i = 0; i < 100; i++) assert.is(pace.next(), undefined);
    let left = 0;
    const late = pace.next()?.then(() => left++);
    mock.timers.tick(1_600);
    for (let i = 0; i < 20_000 && left === 0; i++) await round();
    assert.is(left, 1);
    await late;
  } finally {
    performance.now = now;
    mock.timers.reset();
  }
});
test.run();
