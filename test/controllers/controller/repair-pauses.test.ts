import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RepairPauses } from '../../../runtime/controllers/controller/repair-pauses.ts';

const test = suite('pauses between repairs');

test('get longer as long as an object is changed back at once, and begin anew where it has stayed right', () => {
  let now = 0;
  const pauses = new RepairPauses(() => now);
  const repairs: number[] = [];
  for (; now < 10_000; now++) if (pauses.begin('a') === 0) repairs.push(now);
  assert.equal(repairs, [0, 100, 300, 700, 1_500, 3_100, 6_300]);
  assert.ok(pauses.isContested('a'));
  assert.is(pauses.begin('b'), 0);
  assert.not.ok(pauses.isContested('b'));
  assert.is(pauses.begin('a'), 12_700 - now);
  now = 30_000;
  assert.is(pauses.begin('a'), 0);
  assert.not.ok(pauses.isContested('a'));
  assert.is(pauses.begin('a'), 100);
  pauses.forget('a');
  assert.is(pauses.begin('a'), 0);
});

test('are five minutes at most', () => {
  let now = 0;
  const pauses = new RepairPauses(() => now);
  for (let i = 0; i < 30; i++) now += pauses.begin('a');
  assert.is(pauses.begin('a') <= 300_000, true);
  assert.ok(pauses.isContested('a'));
});

test.run();
