import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireAfter, leaseTimes } from '../../../runtime/assembly/setup/expiry-flags.ts';

const test = suite('how long objects stay that expire');

const flags = (ttl: number, reuse = 60, servers: readonly string[] = ['http://127.0.0.1:2379']) => ({
  'etcd-servers': servers,
  'event-ttl': ttl,
  'lease-reuse-duration-seconds': reuse,
});

// as of the lease manager of 1.32: a twentieth of the life at most
for (const [ttl, reuse, life, shared] of [
  [3_600_000, 60, 3_600, 60],
  [3_600_000, 10, 3_600, 10],
  [600_000, 60, 600, 30],
  [59_000, 60, 59, 2],
  [19_000, 60, 19, 0],
  [1_500, 60, 2, 0],
  [3_600_000, 0, 3_600, 0],
] as const)
  test(`${ttl} ms, shared for ${reuse} s`, () => {
    assert.equal(leaseTimes(flags(ttl, reuse)), { life, shared });
    assert.ok(expireAfter(flags(ttl, reuse)) > (life + shared) * 1_000);
  });

test('without etcd the server removes them in time', () => assert.is(expireAfter(flags(5_000, 60, [])), 5_000));

test('0 is for ever', () => {
  assert.is(leaseTimes(flags(0)), undefined);
  for (const servers of [[], ['http://127.0.0.1:2379']]) assert.is(expireAfter(flags(0, 60, servers)), 0);
});

test.run();
