/** Certificates of our own, read back by OpenSSL behind Node's X509Certificate and by a library for certificates. */
import 'reflect-metadata';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issueCertificate } from '../../../runtime/server/certificates/certificate-issuer.ts';
import type { CertificateRequest } from '../../../runtime/server/certificates/certificate-request.ts';

const DAY = 24 * 60 * 60 * 1_000;
const NOW = Date.UTC(2030, 5, 1, 12, 30, 15);
const request = (rest: Partial<CertificateRequest>): CertificateRequest => ({
  commonName: 'somebody',
  organizations: [],
  usage: 'client',
  names: [],
  notBefore: NOW,
  notAfter: NOW + DAY,
  ...rest,
});
const authority = issueCertificate(request({ commonName: 'authority', usage: 'authority' }));

const issued = suite('an issued certificate');
issued('fits its key and its issuer', () => {
  const made = issueCertificate(request({}), authority);
  const certificate = new X509Certificate(made.certificate);
  assert.ok(certificate.checkPrivateKey(createPrivateKey(made.key)));
  assert.ok(certificate.checkIssued(new X509Certificate(authority.certificate)));
  assert.ok(certificate.verify(new X509Certificate(authority.certificate).publicKey));
});
const ends: [name: string, notAfter: number][] = [
  ['with two digits of the year', Date.UTC(2049, 11, 31, 23, 59, 59)],
  ['with four digits', Date.UTC(2050, 0, 1)],
];
for (const [name, notAfter] of ends)
  issued(`ends when it should, ${name}`, () => {
    const { validFromDate, validToDate } = new X509Certificate(issueCertificate(request({ notAfter }), authority).certificate);
    assert.equal([validFromDate.getTime(), validToDate.getTime()], [NOW, notAfter]);
  });
issued('names its subject, longer texts too', () => {
  const organizations = ['system:masters', 'ö'.repeat(60)];
  const { subject } = new X509Certificate(issueCertificate(request({ organizations }), authority).certificate);
  assert.is(subject, `O=system:masters\nO=${'ö'.repeat(60)}\nCN=somebody`);
});
issued('is good for the names and addresses that were asked for', () => {
  const names = ['localhost', '10.0.0.1', '2001:db8::1', ...Array.from({ length: 20 }, (_, i) => `host-${i}.example`)];
  const certificate = new X509Certificate(issueCertificate(request({ usage: 'server', names }), authority).certificate);
  for (const name of names) assert.is((/^[\d:]/.test(name) ? certificate.checkIP(name) : certificate.checkHost(name)) ?? 'none', name);
  assert.is(certificate.checkHost('elsewhere.example'), undefined);
});
issued('has another number each time', () => {
  const numbers = Array.from({ length: 20 }, () => new X509Certificate(issueCertificate(request({}), authority).certificate).serialNumber);
  assert.is(new Set(numbers).size, 20);
  for (const number of numbers) assert.match(number, /^[4-7][0-9A-F]{31}$/);
});

const { BasicConstraintsExtension, KeyUsagesExtension, ExtendedKeyUsageExtension, KeyUsageFlags } = x509;
const usages: [usage: CertificateRequest['usage'], authority: boolean, flags: number, purposes: string[]][] = [
  ['authority', true, KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, []],
  ['server', false, KeyUsageFlags.digitalSignature, [x509.ExtendedKeyUsage.serverAuth]],
  ['client', false, KeyUsageFlags.digitalSignature, [x509.ExtendedKeyUsage.clientAuth]],
];
for (const [usage, ca, flags, purposes] of usages)
  issued(`says what it is for: ${usage}`, () => {
    const read = new x509.X509Certificate(issueCertificate(request({ usage }), authority).certificate);
    const constraints = read.getExtension(BasicConstraintsExtension);
    assert.equal([constraints?.ca, constraints?.critical], [ca, true]);
    const keyUsage = read.getExtension(KeyUsagesExtension);
    assert.equal([keyUsage?.usages, keyUsage?.critical], [flags, true]);
    assert.equal([...(read.getExtension(ExtendedKeyUsageExtension)?.usages ?? [])], purposes);
  });
issued('names the keys of both by their digests', async () => {
  const read = new x509.X509Certificate(issueCertificate(request({}), authority).certificate);
  const signer = new x509.X509Certificate(authority.certificate);
  const digests = await Promise.all(
    [read, signer].map(async ({ publicKey }) => Buffer.from(await publicKey.getKeyIdentifier()).toString('hex')),
  );
  const own = read.getExtension(x509.SubjectKeyIdentifierExtension)?.keyId;
  const others = read.getExtension(x509.AuthorityKeyIdentifierExtension)?.keyId;
  assert.equal([own, others], digests);
});
issued.run();
