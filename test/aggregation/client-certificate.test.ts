import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProxyClientCertificate } from '../../runtime/aggregation/client-certificate.ts';
import { FollowedFiles } from '../../runtime/files/followed-files.ts';
import { OpenSsl } from '../harness/openssl.ts';

const ssl = new OpenSsl();
const issuer = ssl.authority('proxies');
const [first, second] = [ssl.leaf({ subject: '/CN=one', issuer }), ssl.leaf({ subject: '/CN=two', issuer })];
const flags = (certificate: string, key: string) => ({ 'proxy-client-cert-file': certificate, 'proxy-client-key-file': key });
const text = ssl.write('text.pem', 'no certificate');

const test = suite('the certificate for other API servers');
test.after(() => ssl.remove());

test('is that of the files', () => {
  const { current } = new ProxyClientCertificate(flags(first.certificateFile, first.keyFile));
  assert.equal(current, { cert: first.certificate, key: first.key });
  assert.is(new ProxyClientCertificate(flags('', '')).current, undefined);
});

const WRONG: readonly [name: string, certificate: string, key: string, message: RegExp][] = [
  ['no key', first.certificateFile, '', /need each other/],
  ['no certificate', '', first.keyFile, /need each other/],
  ['a file that is none', '/nowhere', first.keyFile, /--proxy-client-cert-file: \/nowhere/],
  ['a text', text, first.keyFile, /--proxy-client-cert-file: .* holds no certificate in PEM form/],
  ['a text as key', first.certificateFile, text, /--proxy-client-key-file: .* holds no private key in PEM form/],
  ['the key of another', first.certificateFile, second.keyFile, /--proxy-client-key-file: the key is not that of/],
];
for (const [name, certificate, key, message] of WRONG)
  test(`with ${name} is refused by its flag`, () => assert.throws(() => new ProxyClientCertificate(flags(certificate, key)), message));

test('follows its files, and stays where they are wrong', async () => {
  const files = [ssl.write('tls.crt', first.certificate), ssl.write('tls.key', first.key)] as const;
  const certificate = new ProxyClientCertificate(flags(...files));
  const failed = Promise.withResolvers<void>();
  const read = Promise.withResolvers<void>();
  // watching a file keeps no process alive
  const alive = setInterval(() => {}, 60_000);
  const end = await certificate.follow({ info: () => read.resolve(), error: () => failed.resolve() }, new FollowedFiles());
  ssl.write('tls.crt', 'no certificate');
  await failed.promise;
  assert.is(certificate.current?.cert, first.certificate);
  ssl.write('tls.key', second.key);
  ssl.write('tls.crt', second.certificate);
  await read.promise;
  assert.equal(certificate.current, { cert: second.certificate, key: second.key });
  end();
  clearInterval(alive);
});

test.run();
