import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbound, type OutboundFlags } from '../../runtime/relay/outbound.ts';
import { OpenSsl } from '../harness/openssl.ts';

const openssl = new OpenSsl();
const authority = openssl.authority('agents');
const own = openssl.leaf({ subject: '/CN=server', issuer: authority });
const other = openssl.leaf({ subject: '/CN=other', issuer: authority });
const NONE: OutboundFlags = {
  'kubelet-certificate-authority': '',
  'kubelet-client-certificate': '',
  'kubelet-client-key': '',
  'kubelet-port': 10_250,
  'kubelet-preferred-address-types': ['Hostname'],
  'kubelet-timeout': 5_000,
  'max-connection-bytes-per-sec': 0,
};

const test = suite('how others are reached');

test('is what the flags say', () => {
  const { nodeAgents } = createOutbound({
    ...NONE,
    'kubelet-certificate-authority': authority.certificateFile,
    'kubelet-client-certificate': own.certificateFile,
    'kubelet-client-key': own.keyFile,
  });
  assert.equal(nodeAgents, {
    tls: { authority: authority.certificate, certificate: own.certificate, key: own.key },
    preferredAddressTypes: ['Hostname'],
    port: 10_250,
    connectLimit: 5_000,
  });
});
test('follows the files, and stays as it is where they are wrong', () => {
  const [certificateFile, keyFile] = [openssl.write('shown.pem', own.certificate), openssl.write('shown.key', own.key)];
  const outbound = createOutbound({ ...NONE, 'kubelet-client-certificate': certificateFile, 'kubelet-client-key': keyFile });
  assert.equal(outbound.files, [certificateFile, keyFile]);
  openssl.write('shown.pem', other.certificate);
  assert.throws(() => outbound.reread(certificateFile), /the key is not that of/);
  assert.is(outbound.nodeAgents.tls.certificate, own.certificate);
  openssl.write('shown.key', other.key);
  outbound.reread(keyFile);
  assert.equal([outbound.nodeAgents.tls.certificate, outbound.nodeAgents.tls.key], [other.certificate, other.key]);
});
test('reads the authority again while the certificate is wrong, and the other way round', () => {
  const [certificateFile, keyFile] = [openssl.write('kept.pem', own.certificate), openssl.write('kept.key', own.key)];
  const authorityFile = openssl.write('agents.pem', authority.certificate);
  const outbound = createOutbound({
    ...NONE,
    'kubelet-certificate-authority': authorityFile,
    'kubelet-client-certificate': certificateFile,
    'kubelet-client-key': keyFile,
  });
  openssl.write('kept.key', 'X');
  openssl.write('agents.pem', other.certificate);
  outbound.reread(authorityFile);
  assert.equal(outbound.nodeAgents.tls, { authority: other.certificate, certificate: own.certificate, key: own.key });
  openssl.write('agents.pem', 'X');
  openssl.write('kept.pem', other.certificate);
  openssl.write('kept.key', other.key);
  outbound.reread(keyFile);
  assert.equal(outbound.nodeAgents.tls, { authority: other.certificate, certificate: other.certificate, key: other.key });
});
test('is without certificates where no flag names one', () => assert.equal(createOutbound(NONE).nodeAgents.tls, { authority: undefined }));
const broken = path.join(openssl.folder, 'broken.pem');
writeFileSync(broken, 'no certificate');
const refusals: readonly [name: string, flags: Partial<OutboundFlags>, message: RegExp][] = [
  [
    'a certificate without its key',
    { 'kubelet-client-certificate': own.certificateFile },
    /^--kubelet-client-certificate and --kubelet-client-key need each other$/,
  ],
  [
    'the key of another certificate',
    { 'kubelet-client-certificate': own.certificateFile, 'kubelet-client-key': other.keyFile },
    /the key is not that of/,
  ],
  ['a file that is not there', { 'kubelet-certificate-authority': '/none/ca.pem' }, /kubelet-certificate-authority/],
  ['a file that is none', { 'kubelet-certificate-authority': broken }, /^--kubelet-certificate-authority: /],
];
for (const [name, flags, message] of refusals)
  test(`${name} is refused by its flag`, () => assert.throws(() => createOutbound({ ...NONE, ...flags }), message));

test.run();
