import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CertificateAuthorities } from '../../runtime/authentication/certificate-authorities.ts';
import { type LeafOptions, type MadeCertificate, OpenSsl } from '../harness/openssl.ts';

const folder = new OpenSsl();
const root = folder.authority('root');
const between = folder.leaf({ subject: '/CN=between', issuer: root, authority: true });
const bob = folder.leaf({ subject: '/CN=bob', issuer: between });
const read = ({ certificate }: MadeCertificate) => new X509Certificate(certificate);
const presented = (leaf: MadeCertificate, ...issuers: X509Certificate[]) => ({ leaf: read(leaf), issuers, verified: true });

const test = suite('ways to an authority');
test('lead over authorities in between that come along', () => {
  const authorities = new CertificateAuthorities([root.certificate]);
  const now = Date.now();
  assert.is(authorities.validUntil(presented(bob, read(between)), now), read(between).validToDate.getTime());
  assert.is(authorities.validUntil(presented(bob), now), undefined);
  assert.is(authorities.validUntil(presented(bob, read(between)), now + 11 * 86_400_000), undefined, 'when it has ended');
});
test('lead over no certificate whose time has not come', () => {
  const authorities = new CertificateAuthorities([root.certificate]);
  const begin = read(bob).validFromDate.getTime();
  assert.ok(authorities.validUntil(presented(bob, read(between)), begin));
  assert.is(authorities.validUntil(presented(bob, read(between)), begin - 1), undefined);
});
const NO_ISSUERS: readonly (readonly [name: string, options: Partial<LeafOptions>])[] = [
  ['somebody who is no authority', {}],
  ['an authority for servers alone', { authority: true, extensions: ['extendedKeyUsage=serverAuth'] }],
];
for (const [name, options] of NO_ISSUERS)
  test(`do not lead over ${name}`, () => {
    const issuer = folder.leaf({ subject: '/CN=issuer', issuer: root, ...options });
    const eve = folder.leaf({ subject: '/CN=eve', issuer });
    assert.is(new CertificateAuthorities([root.certificate]).validUntil(presented(eve, read(issuer)), Date.now()), undefined);
  });
test('may begin at the authority that is nearest', () => {
  const authorities = new CertificateAuthorities([between.certificate]);
  assert.ok(authorities.validUntil(presented(bob), Date.now()));
});
test('are not looked for again and again among certificates that sign each other', () => {
  const again = Array.from({ length: 12 }, (_, serial) => {
    const file = path.join(folder.folder, `again-${serial}.crt`);
    execFileSync('openssl', [
      'req',
      '-x509',
      '-key',
      between.keyFile,
      '-subj',
      '/CN=between',
      '-set_serial',
      `${serial + 10}`,
      '-out',
      file,
    ]);
    return file;
  });
  const issuers = again.map((file) => new X509Certificate(execFileSync('openssl', ['x509', '-in', file])));
  assert.is(new CertificateAuthorities([root.certificate]).validUntil(presented(bob, ...issuers), Date.now()), undefined);
});
test.after(() => folder.remove());
test.run();
