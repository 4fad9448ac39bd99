import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { familyOf, ipRange, ordinaryIp } from '../../runtime/formats/addresses.ts';

const test = suite('addresses');

const addresses: [string, 'IPv4' | 'IPv6' | undefined][] = [
  ['10.0.0.1', 'IPv4'],
  ['010.000.0.01', 'IPv4'],
  ['256.0.0.1', undefined],
  ['10.0.0', undefined],
  ['', undefined],
  ['::', 'IPv6'],
  ['fd00::1', 'IPv6'],
  ['::ffff:1.2.3.4', 'IPv4'],
  ['00fe80::0001', 'IPv6'],
  ['::010.0.0.1', 'IPv6'],
  ['::00ffff:1.2.3.04', 'IPv4'],
  ['1fe80::1', undefined],
  ['64:ff9b::1.2.3.4', 'IPv6'],
  ['fe80::1%eth0', undefined],
  ['1::2::3', undefined],
];
for (const [text, family] of addresses) test(`address ${JSON.stringify(text)}`, () => assert.is(familyOf(text), family));

const special: [string, string | undefined][] = [
  ['10.0.0.1', undefined],
  ['127.0.0.5', 'loopback'],
  ['::1', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['169.254.0.1', 'link-local range'],
  ['fe80::1', 'link-local range'],
  ['224.0.0.1', 'link-local multicast'],
  ['ff02::1', 'link-local multicast'],
  ['224.0.1.1', undefined],
  ['fec0::1', undefined],
];
for (const [text, use] of special)
  test(`use of ${text}`, () => {
    const [message] = ordinaryIp(text);
    assert.is(message === undefined, use === undefined);
    if (use !== undefined) assert.ok(message?.includes(use));
  });

const ranges: [string, boolean][] = [
  ['10.0.0.0/24', true],
  ['10.0.0.1/24', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0', false],
  ['fd00::/64', true],
  ['fd00::/129', false],
  ['002001:db8::/032', true],
  ['/8', false],
];
for (const [text, good] of ranges) test(`range ${text}`, () => assert.is(ipRange(text).length === 0, good));

test.run();
