import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Beginnings, Questions } from '../../runtime/aggregation/questions.ts';

const test = suite('questions to other servers');
const MANY = 40;

test('begin a few at a time, each when another has its answer', async () => {
  const beginnings = new Beginnings();
  let underWay = 0;
  let most = 0;
  const asked = Array.from({ length: MANY }, async () => {
    const hasBegun = await beginnings.enter();
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    hasBegun();
    // to say so twice does no harm
    hasBegun();
  });
  await Promise.all(asked);
  assert.is(most, 8);
});

test('begin also where all before them have no answer', async () => {
  const beginnings = new Beginnings();
  let begun = 0;
  for (let i = 0; i < MANY; i++) void beginnings.enter().then(() => begun++);
  while (begun < MANY) await sleep(10);
});

test('to one address wait for each other, and are given up when it is late', async () => {
  const questions = new Questions();
  const never = new AbortController().signal;
  const leave = await Promise.all(Array.from({ length: 16 }, () => questions.enter('a:1', never)));
  (await questions.enter('b:1', never))();
  const late = new AbortController();
  const given = questions.enter('a:1', late.signal);
  const next = questions.enter('a:1', never);
  late.abort(new Error('late'));
  assert.is(await given.catch((error: Error) => error.message), 'late');
  leave[0]?.();
  (await next)();
});

test.run();
