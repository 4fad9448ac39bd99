import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AddressRange, canonicalAddress } from '../../../runtime/registry/allocation/address-range.ts';

const test = suite('address range');

const rows: { cidr: string; block?: string; size: number; first: string; last: string }[] = [
  { cidr: '10.0.0.0/24', size: 254, first: '10.0.0.1', last: '10.0.0.254' },
  { cidr: '10.0.0.7/24', block: '10.0.0.0/24', size: 254, first: '10.0.0.1', last: '10.0.0.254' },
  { cidr: '192.168.0.0/30', size: 2, first: '192.168.0.1', last: '192.168.0.2' },
  { cidr: '10.0.0.0/12', size: 1_048_574, first: '10.0.0.1', last: '10.15.255.254' },
  { cidr: 'fd00::/112', size: 65_535, first: 'fd00::1', last: 'fd00::ffff' },
  { cidr: '2001:db8:0:1::/64', size: 65_535, first: '2001:db8:0:1::1', last: '2001:db8:0:1::ffff' },
];
for (const { cidr, block = cidr, size, first, last } of rows) {
  test(cidr, () => {
    const range = new AddressRange(cidr);
    assert.is(range.cidr, block);
    assert.is(range.size, size);
    assert.is(range.at(0), first);
    assert.is(range.at(size - 1), last);
  });
}

for (const bad of ['', '10.0.0.0', '10.0.0.0/33', 'x/8', '10.0.0/8', 'fd00::/129', '10.0.0.0/-1']) {
  test(`${JSON.stringify(bad)} is refused`, () => assert.throws(() => new AddressRange(bad), /is not a CIDR block/));
}

test('contains exactly the addresses that it gives', () => {
  for (const cidr of ['10.1.2.0/26', 'fd00:1::/120']) {
    const range = new AddressRange(cidr);
    fc.assert(fc.property(fc.nat(range.size - 1), (index) => range.contains(range.at(index))));
  }
  const range = new AddressRange('10.0.0.0/24');
  for (const outside of ['10.0.0.0', '10.0.0.255', '10.0.1.1', 'fd00::1', 'nonsense']) assert.not.ok(range.contains(outside), outside);
});

test('an address is the same in each of its spellings', () => {
  const range = new AddressRange('10.0.0.0/24');
  for (const address of ['10.0.0.9', '010.000.0.009', '::ffff:10.0.0.9', '::ffff:a00:9', '0:0:0:0:0:FFFF:10.0.0.9']) {
    assert.ok(range.contains(address), address);
    assert.is(canonicalAddress(address), '10.0.0.9', address);
  }
  for (const text of ['10.0.0.256', '10.0.0', '10.0.0.9.', 'None']) assert.is(canonicalAddress(text), text);
});

test('all of a wide range of IPv6 is used, of which so many have an index as a number may count', () => {
  const [wide, usual] = [new AddressRange('fd00::/64', true), new AddressRange('fd00::/64')];
  assert.equal([wide.size, usual.size, wide.reserved], [2 ** 47, 65_535, 256]);
  for (const far of ['fd00::1:0:0', 'fd00::ffff:ffff:ffff:ffff']) assert.equal([wide.contains(far), usual.contains(far)], [true, false]);
  assert.not.ok(wide.contains('fd00:0:0:1::'));
  assert.is(wide.at(2 ** 47 - 1), 'fd00::8000:0:0');
  for (const none of ['10.0.0.0/31', '10.0.0.0/32', 'fd00::/128'])
    assert.equal([new AddressRange(none, true).size, new AddressRange(none, true).contains(none.split('/')[0] as string)], [0, false]);
});

const RESERVED: readonly (readonly [cidr: string, addresses: number])[] = [
  ['10.0.0.0/28', 0],
  ['10.0.0.0/27', 16],
  ['10.0.0.0/24', 16],
  ['10.0.0.0/23', 32],
  ['10.0.0.0/20', 256],
  ['10.0.0.0/12', 256],
  ['fd00::/124', 0],
  ['fd00::/123', 16],
  ['fd00::/119', 32],
  ['fd00::/112', 256],
];
for (const [cidr, addresses] of RESERVED)
  test(`${addresses} addresses of ${cidr} are given out last`, () => assert.is(new AddressRange(cidr).reserved, addresses));

test.run();
