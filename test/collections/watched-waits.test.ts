import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WatchedWaits } from '../../runtime/collections/watched-waits.ts';
import { eventually } from '../harness/eventually.ts';

const test = suite('waits that one timer looks at');

test('each is looked at until it says that this is enough', async () => {
  const waits = new WatchedWaits(5);
  const seen: string[] = [];
  const until = (name: string, most: number) => (looks: number) => {
    seen.push(`${name}${looks}`);
    return looks === most;
  };
  waits.begin(until('a', 1));
  waits.begin(until('b', 3));
  await eventually('b has enough', () => seen.includes('b3'));
  // as long as three more looks
  await sleep(15);
  assert.equal(seen, ['a1', 'b1', 'b2', 'b3']);
});

test('what is over is not looked at, and another one later is', async () => {
  const waits = new WatchedWaits(5);
  let looks = 0;
  const look = (): boolean => {
    looks++;
    return true;
  };
  waits.begin(look)();
  await sleep(30);
  assert.is(looks, 0);
  waits.begin(look);
  await eventually('it is looked at', () => looks > 0);
  await sleep(30);
  assert.is(looks, 1);
});

test('while the thread is held there are no looks, however long that takes', async () => {
  const waits = new WatchedWaits(5);
  let most = 0;
  const over = waits.begin((looks) => {
    most = looks;
    return false;
  });
  for (const end = performance.now() + 100; performance.now() < end; );
  await new Promise(setImmediate);
  over();
  assert.ok(most <= 2, String(most));
});

test.run();
