import { createPrivateKey } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyPairProblem } from '../../runtime/certificates/key-pair.ts';
import { keyPair, SCHEMES } from './made.ts';

const test = suite('pairs of keys');

const [ec, other, rsa, ed25519] = await Promise.all([keyPair(), keyPair(), keyPair(SCHEMES[2]), keyPair(SCHEMES[4])]);
const inForm = (key: string, type: 'pkcs1' | 'sec1') => createPrivateKey(key).export({ format: 'pem', type }).toString();
const block = (type: string, content = 'AAAA') => `-----BEGIN ${type}-----\n${content}\n-----END ${type}-----\n`;

const rows: readonly [name: string, certificate: string, key: string, problem: string | undefined][] = [
  ['of elliptic curves', ec.certificate, ec.key, undefined],
  ['of elliptic curves, the key in its own form', ec.certificate, inForm(ec.key, 'sec1'), undefined],
  ['of RSA', rsa.certificate, rsa.key, undefined],
  ['of RSA, the key in its own form', rsa.certificate, inForm(rsa.key, 'pkcs1'), undefined],
  ['of Ed25519', ed25519.certificate, ed25519.key, undefined],
  ['among other blocks', `${block('X')}${ec.certificate}${other.certificate}`, `${block('EC PARAMETERS')}${ec.key}`, undefined],
  ['no PEM', 'x', ec.key, 'tls: failed to find any PEM data in certificate input'],
  [
    'a key for a certificate',
    ec.key,
    ec.key,
    'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
  ],
  [
    'other blocks than certificates',
    `${block('A')}${block('B')}`,
    ec.key,
    'tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [A B]',
  ],
  ['no PEM for a key', ec.certificate, '', 'tls: failed to find any PEM data in key input'],
  ['a certificate for a key', ec.certificate, ec.certificate, 'tls: found a certificate rather than a key in the PEM for the private key'],
  [
    'other blocks than keys',
    ec.certificate,
    block('A'),
    'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [A]',
  ],
  ['a certificate that is none', block('CERTIFICATE'), ec.key, 'x509: malformed certificate'],
  ['a key that is none', ec.certificate, block('PRIVATE KEY'), 'tls: failed to parse private key'],
  ['keys of two algorithms', ec.certificate, rsa.key, 'tls: private key type does not match public key type'],
  ['keys of two pairs', ec.certificate, other.key, 'tls: private key does not match public key'],
];
for (const [name, certificate, key, problem] of rows) test(name, () => assert.is(keyPairProblem(certificate, key), problem));

test.run();
