import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressRanges, portRange } from '../../../runtime/assembly/parts/service-ranges.ts';

const test = suite('ranges of services');

const addresses: readonly [ranges: readonly string[], found: readonly string[] | RegExp][] = [
  [[], ['10.0.0.0/24']],
  [['10.1.0.0/29'], ['10.1.0.0/29']],
  [
    ['fd00::/112', '10.1.0.0/16'],
    ['fd00::/112', '10.1.0.0/16'],
  ],
  [['10.1.0.0/30'], /^--service-cluster-ip-range: 10\.1\.0\.0\/30 has fewer than the 8 addresses/],
  [['10.1.0.0/24', 'fd00::/126'], /^--service-cluster-ip-range: fd00::\/126 has fewer/],
  [
    ['10.96.0.0/12', 'fd00::/108'],
    ['10.96.0.0/12', 'fd00::/108'],
  ],
  [['10.0.0.0/11'], /^--service-cluster-ip-range: 10\.0\.0\.0\/11 is too large: the prefix of a range of IPv4 has at least 12 bits$/],
  [['10.1.0.0/24', 'fd00::/64'], /: fd00::\/64 is too large: the prefix of a range of IPv6 has at least 108 bits$/],
  [['10.1.0.0/24', '10.2.0.0/24'], /one is of IPv4 and the other one of IPv6$/],
  [['10.1.0.0/24', 'fd00::/112', 'fd01::/112'], /^--service-cluster-ip-range: takes one range, or two/],
];
for (const [ranges, found] of addresses)
  test(`addresses of ${ranges.join(' and ') || 'the default'}`, () => {
    const read = () => addressRanges(ranges).map(({ cidr }) => cidr);
    if (found instanceof RegExp) assert.throws(read, found);
    else assert.equal(read(), found);
  });

const ports: readonly [text: string, found: readonly [number, number] | undefined][] = [
  ['30000-32767', [30_000, 32_767]],
  [' 30000-30000 ', [30_000, 30_000]],
  ['30000+100', [30_000, 30_100]],
  ['30000', [30_000, 30_000]],
  ['32767-30000', undefined],
  ['65000+600', undefined],
  ['0-10', undefined],
  ['30000-', undefined],
  ['a', undefined],
  // as in 1.32, where an empty range is the default
  ['', [30_000, 32_767]],
];
for (const [text, found] of ports)
  test(`ports of ${JSON.stringify(text)}`, () => {
    if (found === undefined)
      assert.throws(() => portRange(text), /^--service-node-port-range: .* is not a range of ports such as 30000-32767$/);
    else assert.equal(portRange(text), { first: found[0], last: found[1] });
  });

test('a range may be of any size that is not too small where nothing counts its addresses one by one', () => {
  assert.throws(() => addressRanges(['fd00::/64']), /--service-cluster-ip-range: fd00::\/64 is too large/);
  const [range] = addressRanges(['fd00::/64'], true);
  assert.ok(range?.contains('fd00::1:0:0:0'));
  assert.throws(() => addressRanges(['fd00::/126'], true), /fewer than the 8 addresses/);
});

test.run();
