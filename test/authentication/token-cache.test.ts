/** What is known of tokens is forgotten when its time is over. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenCache } from '../../runtime/authentication/token-cache.ts';
import { HOUR, withMachineClock } from '../harness/machine-clock.ts';

const test = suite('the cache of tokens');
const TTL = 120_000;
for (const hours of [-6, 0, 6])
  test(`holds what it knows for its time where the clock is set by ${hours} hours`, () =>
    withMachineClock((clock) => {
      const users = new TokenCache<string>();
      users.set('token', 'alice', TTL);
      clock.set(hours * HOUR);
      clock.pass(TTL / 2);
      assert.is(users.get('token'), 'alice');
      clock.pass(TTL / 2);
      assert.is(users.get('token'), undefined);
    }));
test.run();
