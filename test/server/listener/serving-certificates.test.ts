import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { type CertificateFlags, prepareCertificates } from '../../../runtime/server/listener/serving-certificates.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'serving-'));
const file = (name: string, text: string): string => {
  writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const flags: CertificateFlags = {
  'bind-address': '127.0.0.1',
  'advertise-address': '10.9.8.7',
  'external-hostname': 'api.example',
  'service-cluster-ip-range': ['10.0.0.0/24', 'fd00::/112'],
  'cert-dir': '',
  'tls-cert-file': '',
  'tls-private-key-file': '',
  'tls-sni-cert-key': [],
  'tls-min-version': 'VersionTLS12',
  'tls-cipher-suites': [],
  'client-ca-file': '',
  'requestheader-client-ca-file': '',
};
const names = {
  defaultService: { cluster: 'cluster', kubernetes: 'kubernetes' },
  mediaProduct: { cluster: 'cluster', kubernetes: 'kubernetes' },
};
const prepare = (given: Partial<CertificateFlags>, dialect: 'cluster' | 'kubernetes' = 'cluster') =>
  prepareCertificates({ ...flags, ...given }, folder, createIdentity({ names, behaviour: {} }, dialect));

const prepared = suite('what the server serves with');
prepared.after(() => rmSync(folder, { recursive: true }));
prepared('is a certificate of its own where none is given', async () => {
  const { serving, authority, administrator, clientAuthorities } = await prepare({});
  const certificate = new X509Certificate(serving.certificate);
  assert.ok(certificate.verify(new X509Certificate(authority).publicKey));
  for (const address of ['10.0.0.1', 'fd00::1', '10.9.8.7']) assert.is(certificate.checkIP(address), address);
  assert.is(certificate.checkHost('api.example'), 'api.example');
  assert.equal(serving.clientAuthorities, clientAuthorities);
  assert.ok(new X509Certificate(administrator.certificate).verify(new X509Certificate(clientAuthorities[0] as string).publicKey));
});
prepared('is the certificate that is given, trusted by itself', async () => {
  const own = await prepare({});
  const given = { 'tls-cert-file': file('given.crt', own.serving.certificate), 'tls-private-key-file': file('given.key', own.serving.key) };
  const { serving, authority } = await prepare({ ...given, 'tls-min-version': 'VersionTLS13' });
  assert.equal([serving.certificate, serving.key, authority], [own.serving.certificate, own.serving.key, own.serving.certificate]);
  assert.is(serving.minVersion, 'TLSv1.3');
});
prepared('believes the authorities that are given besides its own', async () => {
  const own = await prepare({});
  const [client, proxy] = [own.authority, own.serving.certificate];
  const given = { 'client-ca-file': file('client.crt', client), 'requestheader-client-ca-file': file('proxy.crt', proxy) };
  const { serving, clientAuthorities, proxyAuthorities } = await prepare(given);
  assert.equal(clientAuthorities, [own.clientAuthorities[0], client]);
  assert.is(proxyAuthorities, proxy);
  assert.equal(serving.clientAuthorities, [...clientAuthorities, proxy]);
});
prepared('names the administrator for the dialect', async () => {
  const { administrator } = await prepare({}, 'kubernetes');
  assert.match(new X509Certificate(administrator.certificate).subject, 'CN=kubernetes-admin');
});
prepared('has further certificates for names, whose files are followed', async () => {
  const own = await prepare({});
  const [certificate, key] = [file('named.crt', own.serving.certificate), file('named.key', own.serving.key)];
  const given = { 'tls-sni-cert-key': [`${certificate},${key}:Api.Example, *.api.example`, `${certificate} , ${key}`] };
  const { serving, files, reread } = await prepare(given);
  const pair = { certificate: own.serving.certificate, key: own.serving.key };
  assert.equal(serving.named, [{ ...pair, names: ['api.example', '*.api.example'] }, pair]);
  assert.equal(files, [certificate, key]);
  file('named.key', 'X');
  assert.throws(() => reread(key), /^--tls-sni-cert-key: .*named\.key: the file holds no private key in PEM form$/);
});
prepared('takes over files that change while others are wrong', async () => {
  const own = await prepare({});
  const given = {
    'tls-cert-file': file('kept.crt', own.serving.certificate),
    'tls-private-key-file': file('kept.key', own.serving.key),
    'client-ca-file': file('clients.crt', own.authority),
    'requestheader-client-ca-file': file('proxies.crt', own.authority),
    'tls-sni-cert-key': [`${file('other.crt', own.serving.certificate)},${file('other.key', own.serving.key)}:a.example`],
  };
  const before = await prepare(given);
  const [named] = before.serving.named as [unknown];
  for (const name of ['kept.key', 'other.crt', 'proxies.crt']) {
    file(name, 'X');
    assert.throws(() => before.reread(path.join(folder, name)));
  }
  file('clients.crt', own.serving.certificate);
  const after = before.reread(given['client-ca-file']);
  assert.equal(after.clientAuthorities, [own.clientAuthorities[0], own.serving.certificate]);
  assert.equal([after.serving.key, after.serving.named, after.proxyAuthorities], [own.serving.key, [named], own.authority]);
  file('proxies.crt', own.serving.certificate);
  const last = after.reread(given['requestheader-client-ca-file']);
  assert.equal([last.proxyAuthorities, last.clientAuthorities], [own.serving.certificate, after.clientAuthorities]);
});
const BROKEN = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const crt = () => path.join(folder, 'pki/server.crt');
const refused: [name: string, given: () => Partial<CertificateFlags>, message: RegExp][] = [
  ['a certificate without its key', () => ({ 'tls-cert-file': crt() }), /^--tls-cert-file and --tls-private-key-file need each other$/],
  [
    'a file that is not there',
    () => ({ 'client-ca-file': path.join(folder, 'none') }),
    /^--client-ca-file: .*none: there is no such file or folder$/,
  ],
  ['a folder', () => ({ 'client-ca-file': folder }), /^--client-ca-file: .*: it is a folder$/],
  [
    'for addresses that are none',
    () => ({ 'service-cluster-ip-range': ['10.0.0.0/x'] }),
    /^--service-cluster-ip-range: "10\.0\.0\.0\/x" is not a CIDR block/,
  ],
  [
    'a cipher suite that is not known',
    () => ({ 'tls-cipher-suites': ['AES'] }),
    /^--tls-cipher-suites: AES: not among TLS_AES_128_GCM_SHA256, /,
  ],
  [
    'an authority that is no certificate',
    () => ({ 'client-ca-file': file('no.crt', 'X') }),
    /^--client-ca-file: .*no\.crt: the file holds no certificate/,
  ],
  [
    'an authority beside one that is no certificate',
    () => ({ 'client-ca-file': file('half.crt', `${readFileSync(crt(), 'utf8')}${BROKEN}`) }),
    /^--client-ca-file: .*half\.crt: the file holds no certificate/,
  ],
  [
    'a key that is none',
    () => ({ 'tls-cert-file': crt(), 'tls-private-key-file': crt() }),
    /^--tls-private-key-file: .*server\.crt: the file holds no private key/,
  ],
  [
    'a certificate for names without a key',
    () => ({ 'tls-sni-cert-key': [crt()] }),
    /^--tls-sni-cert-key: ".*server\.crt": expected comma separated certificate and key file paths$/,
  ],
  [
    'a certificate for no names',
    () => ({ 'tls-sni-cert-key': [`${crt()},${crt()}: `] }),
    /^--tls-sni-cert-key: ".*": empty names list is not allowed$/,
  ],
  [
    'a certificate for names with the key of another one',
    () => ({ 'tls-sni-cert-key': [`${crt()},${path.join(folder, 'pki/ca.key')}`] }),
    /^--tls-sni-cert-key: .*ca\.key: the key is not that of .*server\.crt$/,
  ],
  ['an address to listen on that is a name', () => ({ 'bind-address': 'localhost' }), /^--bind-address: "localhost" is no IP address$/],
  ['no address to listen on', () => ({ 'bind-address': '' }), /^--bind-address: "" is no IP address$/],
  [
    'one for an address that is a name',
    () => ({ 'advertise-address': 'api.example' }),
    /^--advertise-address: "api\.example" is no IP address; names belong into --external-hostname$/,
  ],
  [
    'a key of another certificate',
    () => ({ 'tls-cert-file': crt(), 'tls-private-key-file': path.join(folder, 'pki/ca.key') }),
    /^--tls-private-key-file: the key is not that of --tls-cert-file$/,
  ],
];
for (const [name, given, message] of refused)
  prepared(`is not ${name}`, async () => {
    const problem = await prepare(given()).catch((error: Error) => error);
    assert.instance(problem, Error);
    assert.match((problem as Error).message, message);
  });
prepared.run();
