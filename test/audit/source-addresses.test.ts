import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceAddresses } from '../../runtime/audit/source-addresses.ts';

const test = suite('where requests come from');
const rows: [name: string, headers: Record<string, string>, remote: string | undefined, addresses: string[]][] = [
  ['the connection', {}, '10.0.0.1', ['10.0.0.1']],
  ['one of IPv4 on a socket of IPv6', {}, '::ffff:10.0.0.1', ['10.0.0.1']],
  ['one of IPv6', {}, '2001:db8::1', ['2001:db8::1']],
  ['a connection that is gone', {}, undefined, []],
  ['proxies', { 'x-forwarded-for': '1.1.1.1, 2.2.2.2' }, '10.0.0.1', ['1.1.1.1', '2.2.2.2', '10.0.0.1']],
  ['what is no address', { 'x-forwarded-for': 'me, 2.2.2.2,' }, '10.0.0.1', ['2.2.2.2', '10.0.0.1']],
  ['the other header', { 'x-real-ip': '3.3.3.3' }, '10.0.0.1', ['3.3.3.3', '10.0.0.1']],
  ['both headers', { 'x-forwarded-for': '1.1.1.1,3.3.3.3', 'x-real-ip': '3.3.3.3' }, '10.0.0.1', ['1.1.1.1', '3.3.3.3', '10.0.0.1']],
  ['the connection said already', { 'x-forwarded-for': '1.1.1.1,10.0.0.1' }, '10.0.0.1', ['1.1.1.1', '10.0.0.1']],
  [
    'addresses as Go writes them',
    { 'x-forwarded-for': '2001:DB8:0:0::01, ::ffff:1.2.3.4, 010.0.0.007' },
    '10.0.0.1',
    ['2001:db8::1', '1.2.3.4', '10.0.0.7', '10.0.0.1'],
  ],
  ['addresses of one link, which are none', { 'x-forwarded-for': 'fe80::1%eth0', 'x-real-ip': 'fe80::2%1' }, '10.0.0.1', ['10.0.0.1']],
  ['the same address, written otherwise', { 'x-forwarded-for': '::0001', 'x-real-ip': '0:0::1' }, '::1', ['::1']],
];
for (const [name, headers, remoteAddress, addresses] of rows)
  test(name, () => assert.equal(sourceAddresses({ headers, socket: { remoteAddress } } as never), addresses));
test.run();
