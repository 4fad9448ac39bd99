/** When an issuer is asked for its keys. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { IssuerKeys } from '../../../runtime/authentication/issuers/issuer-keys.ts';
import { HOUR, withMachineClock } from '../../harness/machine-clock.ts';

const test = suite('keys of an issuer');

let asked = 0;
const issuer = createServer((socket) => {
  asked++;
  socket.destroy();
}).listen(0, '127.0.0.1');
await once(issuer, 'listening');
test.before.each(() => {
  asked = 0;
});
test.after(() => void issuer.close());

const keysOf = (): IssuerKeys => new IssuerKeys({ url: `https://127.0.0.1:${(issuer.address() as AddressInfo).port}` });
/** How often the issuer has been asked when somebody has wanted the keys. */
async function askedAfterGet(keys: IssuerKeys): Promise<number> {
  await keys.get().then(
    () => assert.unreachable('there are no keys'),
    () => {},
  );
  return asked;
}

for (const hours of [-6, 0, 6])
  test(`are asked for again, but not at once, where the clock is set by ${hours} hours`, () =>
    withMachineClock(async (clock) => {
      const keys = keysOf();
      assert.is(await askedAfterGet(keys), 1);
      clock.set(hours * HOUR);
      assert.is(await askedAfterGet(keys), 1);
      clock.pass(60_000);
      assert.is(await askedAfterGet(keys), 2);
      keys.close();
    }));
test('are asked for by a process that has just begun', () =>
  withMachineClock(async (clock) => {
    clock.pass(-performance.now());
    const keys = keysOf();
    assert.is(await askedAfterGet(keys), 1);
    keys.close();
  }));
test.run();
