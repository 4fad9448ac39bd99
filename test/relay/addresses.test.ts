import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isGlobalUnicast, reachableAddress } from '../../runtime/relay/addresses.ts';
import { StatusError } from '../../runtime/status/status.ts';

const test = suite('addresses of pods');
const allowed = ['10.0.0.1', '192.168.1.1', '8.8.8.8', '100.64.0.1', 'fd00::1', '2001:db8::1', '::ffff:10.0.0.1'];
const refused = [
  ...[
    '',
    'localhost',
    '10.0.0',
    '010.0.0.1',
    '0.0.0.0',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '224.0.0.1',
    '239.1.2.3',
    '255.255.255.255',
  ],
  ...['::', '::1', 'fe80::1', 'ff02::1', 'ff05::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.0.1', '::ffff:0.0.0.0'],
];
for (const address of allowed) test(`${address} may be reached`, () => assert.ok(isGlobalUnicast(address)));
for (const address of refused) test(`"${address}" may not be reached`, () => assert.not(isGlobalUnicast(address)));
test.run();

const named = suite('addresses of nodes');
for (const host of ['127.0.0.1', '::1', 'fe80::1', '::ffff:127.0.0.1', 'localhost', '0.0.0.0', '::', '::ffff:0.0.0.0'])
  named(`${host} is this machine`, async () => {
    const error = await reachableAddress(host).catch((reason) => reason);
    assert.instance(error, StatusError);
    assert.is(error.message, 'address not allowed');
  });
named('another address is as it is', async () => assert.is(await reachableAddress('10.1.2.3'), '10.1.2.3'));
named('a name without an address', async () => {
  const error = await reachableAddress('no.such.name.invalid').catch((reason) => reason);
  assert.is(error.status.code, 400);
  assert.match(error.message, /^lookup no\.such\.name\.invalid: no such host$/);
});
named.run();
