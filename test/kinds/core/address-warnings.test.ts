import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressWarnings, rangeWarnings } from '../../../runtime/kinds/core/address-warnings.ts';

const test = suite('warnings of addresses');
const FUTURE = 'was accepted, but will be invalid in a future Kubernetes release';
const canonical = (what: string, text: string, better: string) =>
  `p: IPv6 ${what} "${text}" is not in RFC 5952 canonical format ("${better}"), which may cause controller apply-loops`;

const ROWS: readonly (readonly [check: typeof addressWarnings, text: string, ...warnings: string[]])[] = [
  [addressWarnings, '10.0.0.1'],
  [addressWarnings, '2001:db8::1'],
  [addressWarnings, '::ffff:1.2.3.4'],
  [addressWarnings, '2001:DB8::1', canonical('address', '2001:DB8::1', '2001:db8::1')],
  [addressWarnings, '0:0::1', canonical('address', '0:0::1', '::1')],
  [addressWarnings, '010.0.0.1', `p: IP address ${FUTURE}: ParseAddr("010.0.0.1"): IPv4 field has octet with leading zero`],
  [rangeWarnings, '10.1.2.3/8'],
  [rangeWarnings, '2001:db8::/64'],
  [rangeWarnings, '2001:db8:0::/64', canonical('prefix', '2001:db8:0::/64', '2001:db8::/64')],
  [
    rangeWarnings,
    '010.0.0.0/8',
    `p: IP prefix ${FUTURE}: netip.ParsePrefix("010.0.0.0/8"): ParseAddr("010.0.0.0"): IPv4 field has octet with leading zero`,
  ],
];

for (const [check, text, ...warnings] of ROWS) test(text, () => assert.equal(check(text, 'p'), warnings));

test.run();
