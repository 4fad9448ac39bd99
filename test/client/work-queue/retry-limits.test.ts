import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RetryLimits } from '../../../runtime/client/work-queue/retry-limits.ts';
import { TestClock } from '../../controllers/test-clock.ts';

const test = suite('retries of a work queue');
test('wait twice as long after each failure of a key, up to a limit', () => {
  const limits = new RetryLimits({ first: 5, longest: 30 }, new TestClock());
  assert.equal(
    [1, 2, 3, 4, 5].map(() => limits.after('a')),
    [5, 10, 20, 30, 30],
  );
  assert.equal([limits.after('b'), limits.failuresOf('a'), limits.failuresOf('b'), limits.failuresOf('c')], [5, 5, 1, 0]);
  limits.forget('a');
  assert.equal([limits.failuresOf('a'), limits.after('a')], [0, 5]);
});
test('are so many in a second, of all keys, when the burst is used up', () => {
  const clock = new TestClock();
  const limits = new RetryLimits({ first: 0, perSecond: 10, burst: 3 }, clock);
  assert.equal(
    ['a', 'b', 'c', 'd', 'e'].map((key) => limits.after(key)),
    [0, 0, 0, 100, 200],
  );
  clock.advance(500);
  assert.equal(
    ['f', 'g', 'h', 'i', 'j'].map((key) => limits.after(key)),
    [0, 0, 0, 100, 200],
  );
});
test.run();
