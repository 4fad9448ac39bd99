import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cipherList } from '../../../runtime/server/certificates/cipher-suites.ts';

const MODERN = 'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256';

const test = suite('cipher suites');

const rows: [name: string, names: readonly string[], older: string][] = [
  [
    'in the order that is asked for',
    ['TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA'],
    ':ECDHE-RSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-SHA',
  ],
  ['of TLS 1.3 alone', ['TLS_AES_256_GCM_SHA384'], ''],
  [
    'without forward secrecy, which 1.32 has too where they are named',
    ['TLS_RSA_WITH_AES_256_GCM_SHA384', 'TLS_RSA_WITH_AES_128_CBC_SHA', 'TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256'],
    ':AES256-GCM-SHA384:AES128-SHA:ECDHE-RSA-AES128-SHA256',
  ],
  ['by an older name', ['TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305'], ':ECDHE-RSA-CHACHA20-POLY1305'],
];
for (const [name, names, older] of rows) test(name, () => assert.is(cipherList(names), MODERN + older));

test('are sound ones where none are asked for', () => {
  const older = cipherList([]).split(':').slice(3);
  assert.is(older.length, 6);
  for (const each of older) assert.match(each, /^ECDHE-(ECDSA|RSA)-(AES(128|256)-GCM-SHA|CHACHA20-POLY1305)/);
});

for (const name of ['TLS_RSA_WITH_RC4_128_SHA', 'ECDHE-RSA-AES128-GCM-SHA256', 'constructor'])
  test(`are refused that are not known: ${name}`, () => assert.throws(() => cipherList([name]), new RegExp(`^${name}: not among TLS_AES`)));

test.run();
