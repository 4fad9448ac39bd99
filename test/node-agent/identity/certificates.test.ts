/** Requests for certificates, where they are kept, and when they are renewed. */
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSigningRequest } from '../../../runtime/certificates/create-signing-request.ts';
import { requestedNames } from '../../../runtime/certificates/requested-names.ts';
import { signingRequestProblem } from '../../../runtime/certificates/signing-request.ts';
import { renewalTime } from '../../../runtime/node-agent/identity/certificate-rotation.ts';
import { CertificateStore } from '../../../runtime/node-agent/identity/certificate-store.ts';
import { requestName } from '../../../runtime/node-agent/identity/request-certificate.ts';
import { issueCertificate, issueForRequest } from '../../../runtime/server/certificates/certificate-issuer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'agent-certificates-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const DAY = 24 * 60 * 60 * 1_000;

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const content = { commonName: 'system:node:one', organizations: ['system:nodes'] };
const authority = issueCertificate({
  commonName: 'authority',
  organizations: [],
  usage: 'authority',
  names: [],
  notBefore: Date.now() - DAY,
  notAfter: Date.now() + 10 * DAY,
});

const requests = suite('requests for certificates');
requests('are signed, and name who asks', () => {
  const addresses = [Buffer.from([10, 0, 0, 1]), Buffer.alloc(16, 1)];
  const pem = createSigningRequest({ ...content, dnsNames: ['one.example'], addresses }, newKey());
  assert.is(signingRequestProblem(pem), undefined);
  assert.equal(requestedNames(pem), { ...content, alternatives: ['dns', 'address', 'address'] });
});
requests('may name nobody else', () => {
  const pem = createSigningRequest(content, newKey());
  assert.is(signingRequestProblem(pem), undefined);
  assert.equal(requestedNames(pem)?.alternatives, []);
});
requests('become certificates of their key, their subject and their names', () => {
  const key = newKey();
  const pem = createSigningRequest({ ...content, dnsNames: ['one.example'], addresses: [Buffer.from([10, 0, 0, 1])] }, key);
  const usages = ['digital signature', 'server auth'] as const;
  const certificate = new X509Certificate(
    issueForRequest(pem, { usages, notBefore: Date.now() - 1_000, notAfter: Date.now() + DAY }, authority),
  );
  assert.ok(certificate.checkPrivateKey(key));
  assert.ok(certificate.verify(new X509Certificate(authority.certificate).publicKey));
  assert.is(certificate.subject, 'O=system:nodes\nCN=system:node:one');
  assert.is(certificate.subjectAltName, 'DNS:one.example, IP Address:10.0.0.1');
  assert.equal(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1']);
  assert.is(certificate.ca, false);
});
requests('become certificates of an authority with another sort of key', () => {
  for (const type of ['rsa', 'ed25519'] as const) {
    const own = type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2_048 }) : generateKeyPairSync('ed25519');
    const issuer = { ...authority, key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
    const pem = createSigningRequest(content, newKey());
    const issued = issueForRequest(pem, { usages: ['client auth'], notBefore: Date.now(), notAfter: Date.now() + DAY }, issuer);
    assert.ok(new X509Certificate(issued).verify(own.publicKey), type);
  }
});
requests('become certificates that end with that of the authority', () => {
  const pem = createSigningRequest(content, newKey());
  const issued = issueForRequest(pem, { usages: ['client auth'], notBefore: Date.now(), notAfter: Date.now() + 100 * DAY }, authority);
  assert.is(new X509Certificate(issued).validTo, new X509Certificate(authority.certificate).validTo);
});
requests('have a name that says what they ask for', () => {
  const [key, other] = [newKey(), newKey()];
  assert.is(requestName(key, content), requestName(createPrivateKey(key.export({ type: 'pkcs8', format: 'pem' })), content));
  assert.is.not(requestName(key, content), requestName(other, content));
  for (let round = 0; round < 50; round++) assert.match(requestName(newKey(), content), /^node-csr-[a-z0-9-]{42}[a-z0-9]$/);
});
requests.run();

const store = suite('the store of certificates');
const issue = () =>
  issueCertificate({ ...content, usage: 'client', names: [], notBefore: Date.now() - DAY, notAfter: Date.now() + DAY }, authority);
store('keeps the newest and the one before, for their owner alone', async () => {
  const own = path.join(folder, 'kept');
  const certificates = new CertificateStore(own, 'agent-client');
  assert.is(certificates.read(), undefined);
  for (let round = 0; round < 3; round++) {
    const { certificate, key } = issue();
    certificates.write(certificate, key);
    assert.is(certificates.read()?.cert, certificate);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const files = readdirSync(own).sort();
  assert.is(files.length, 3);
  assert.is(readlinkSync(certificates.current), files[1]);
  for (const file of files.slice(0, 2)) assert.is(statSync(path.join(own, file)).mode & 0o777, 0o600);
  assert.is(new CertificateStore(own, 'agent-client').read()?.parsed.subject, 'O=system:nodes\nCN=system:node:one');
});
store('takes no certificate of another key', () => {
  const certificates = new CertificateStore(path.join(folder, 'wrong'), 'agent-client');
  assert.throws(() => certificates.write(issue().certificate, issue().key), /does not fit the key/);
  assert.is(certificates.read(), undefined);
});
store('leaves the certificate that there was where another one cannot be written', () => {
  if (process.getuid?.() === 0) return;
  const own = path.join(folder, 'closed');
  const certificates = new CertificateStore(own, 'agent-client');
  const { certificate, key } = issue();
  certificates.write(certificate, key);
  chmodSync(own, 0o500);
  const next = issue();
  assert.throws(() => certificates.write(next.certificate, next.key));
  chmodSync(own, 0o700);
  assert.is(certificates.read()?.cert, certificate);
});
store.run();

const renewal = suite('the time of renewal');
renewal('is between seven and nine tenths of a life', () => {
  fc.assert(
    fc.property(
      fc.nat(4_000_000_000_000),
      fc.integer({ min: 1_000, max: 40_000_000_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (from, life, chance) => {
        const at = renewalTime({ validFromDate: new Date(from), validToDate: new Date(from + life) }, chance);
        return at >= from + life * 0.7 - 1 && at <= from + life * 0.9 + 1;
      },
    ),
  );
});
renewal.run();
