/** Secrets that a service is asked for: once for all who wait, few at a time, and not again at once where that has failed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AskedSecrets } from '../../../runtime/assembly/encryption/asked-secrets.ts';
import { withMachineClock } from '../../harness/machine-clock.ts';

const test = suite('secrets that a service is asked for');
const failing = (message: string) => async (): Promise<Buffer> => {
  throw new Error(message);
};
const messageOf = (asked: Promise<Buffer>): Promise<string> =>
  asked.then(
    () => 'none',
    (error: Error) => error.message,
  );

test('one is asked for once by all who want it meanwhile', async () => {
  const secrets = new AskedSecrets();
  let asked = 0;
  const ask = async () => Buffer.of(++asked);
  const all = await Promise.all([secrets.get('a', ask), secrets.get('a', ask), secrets.get('b', ask)]);
  assert.equal(
    all.map(([byte]) => byte),
    [1, 1, 2],
  );
  assert.equal(await secrets.get('a', ask), Buffer.of(3));
  assert.is(secrets.takeFailed(), false);
});

test('no more than sixteen are asked for at once', async () => {
  const secrets = new AskedSecrets();
  let [underWay, most] = [0, 0];
  const ask = async () => {
    most = Math.max(most, ++underWay);
    await new Promise(setImmediate);
    underWay--;
    return Buffer.of(1);
  };
  await Promise.all(Array.from({ length: 100 }, (_, index) => secrets.get(String(index), ask)));
  assert.equal([most, underWay], [16, 0]);
});

test('what has failed is asked again after a second, others at once', () =>
  withMachineClock(async (clock) => {
    const secrets = new AskedSecrets();
    assert.is(await messageOf(secrets.get('a', failing('no such key'))), 'no such key');
    assert.is(await messageOf(secrets.get('a', async () => Buffer.of(1))), 'no such key');
    assert.is(await messageOf(secrets.get('b', async () => Buffer.of(1))), 'none');
    assert.equal([secrets.takeFailed(), secrets.takeFailed()], [true, false]);
    clock.pass(1_000);
    assert.is(await messageOf(secrets.get('a', async () => Buffer.of(1))), 'none');
  }));

test('where the service is away others are not asked for either, for a second', () =>
  withMachineClock(async (clock) => {
    const secrets = new AskedSecrets();
    const away = 'rpc error: code = Unavailable desc = no';
    await messageOf(secrets.get('a', failing(away)));
    assert.is(await messageOf(secrets.get('b', async () => Buffer.of(1))), away);
    clock.pass(1_000);
    assert.is(await messageOf(secrets.get('b', async () => Buffer.of(1))), 'none');
  }));
test.run();
