import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { StepTimes } from '../../../runtime/endpoints/request/step-times.ts';

const test = suite('times of steps');
test('are summed by step, in the order in which these began', () => {
  const times = new StepTimes();
  assert.is(times.all.size, 0);
  for (const [step, milliseconds] of [
    ['admission', 1],
    ['etcd', 2],
    ['admission', 4],
    ['response-write', 8],
    ['etcd', 16],
  ] as const)
    times.add(step, milliseconds);
  assert.equal(
    [...times.all],
    [
      ['admission', 5],
      ['etcd', 18],
      ['response-write', 8],
    ],
  );
});
test.run();
