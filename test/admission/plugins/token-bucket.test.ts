import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenBucket } from '../../../runtime/admission/plugins/token-bucket.ts';

const test = suite('a bucket of tokens');

test('has so many at once, and so many a second then', () => {
  const bucket = new TokenBucket(2, 3, 0);
  assert.equal(
    [0, 0, 0, 0].map((now) => bucket.take(now)),
    [true, true, true, false],
  );
  assert.equal(
    [499, 500, 501, 1_000].map((now) => bucket.take(now)),
    [false, true, false, true],
  );
});

test('never has more than that', () => {
  const bucket = new TokenBucket(2, 3, 0);
  assert.equal(
    [60_000, 60_000, 60_000, 60_000].map((now) => bucket.take(now)),
    [true, true, true, false],
  );
});

test.run();
