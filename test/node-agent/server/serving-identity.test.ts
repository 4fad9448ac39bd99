/** What an agent serves with: a certificate of its own, or one of files, which it follows. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { servingIdentity } from '../../../runtime/node-agent/server/serving-identity.ts';
import { issueCertificate } from '../../../runtime/server/certificates/certificate-issuer.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'agent-serving-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const HOUR = 60 * 60 * 1_000;

const issue = (commonName: string) =>
  issueCertificate({
    commonName,
    organizations: [],
    usage: 'server',
    names: ['one'],
    notBefore: Date.now() - HOUR,
    notAfter: Date.now() + HOUR,
  });

function options(name: string, configuration: object = {}, renewed = () => {}) {
  const own = path.join(folder, name);
  mkdirSync(own, { recursive: true });
  return {
    configuration: configuration as never,
    folder: own,
    nodeName: 'one',
    hostname: 'one',
    addresses: ['10.0.0.1'],
    identity: createIdentity(identityData, 'kubernetes'),
    client: undefined,
    featureEnabled: () => true,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    renewed,
  };
}

const own = suite('a certificate of the agent itself');
own('is kept for the next start, its key for the owner alone', async () => {
  const first = (await servingIdentity(options('kept'))).current();
  assert.is((await servingIdentity(options('kept'))).current().certificate, first.certificate);
  assert.is(statSync(path.join(folder, 'kept/kubelet.key')).mode & 0o777, 0o600);
  assert.is(new X509Certificate(first.certificate).subjectAltName, 'DNS:one, IP Address:10.0.0.1');
});
own('is made anew for another name, another address, and in place of a damaged one', async () => {
  const first = (await servingIdentity(options('moved'))).current();
  const moved = (await servingIdentity({ ...options('moved'), addresses: ['10.0.0.2'] })).current();
  assert.is.not(moved.certificate, first.certificate);
  const named = (await servingIdentity({ ...options('moved'), addresses: ['10.0.0.2'], hostname: 'two' })).current();
  assert.is(new X509Certificate(named.certificate).subjectAltName, 'DNS:two, IP Address:10.0.0.2');
  writeFileSync(path.join(folder, 'moved/kubelet.key'), 'x');
  const repaired = (await servingIdentity({ ...options('moved'), addresses: ['10.0.0.2'] })).current();
  assert.match(repaired.key, /PRIVATE KEY/);
});
own.run();

const files = suite('a certificate of files');
const write = (name: string, { certificate, key }: { certificate: string; key: string }) => {
  const [tlsCertFile, tlsPrivateKeyFile] = ['crt', 'key'].map((end) => path.join(folder, `${name}.${end}`)) as [string, string];
  writeFileSync(tlsPrivateKeyFile, key);
  writeFileSync(tlsCertFile, certificate);
  return { tlsCertFile, tlsPrivateKeyFile };
};
files('is served, and followed', async () => {
  const [first, second] = [issue('first'), issue('second')];
  const configuration = write('followed', first);
  let renewals = 0;
  const serving = await servingIdentity(options('files', configuration, () => renewals++));
  try {
    assert.is(serving.current().certificate, first.certificate);
    write('followed', second);
    for (const until = Date.now() + 20_000; serving.current().certificate !== second.certificate; await sleep(20))
      if (Date.now() > until) assert.unreachable('the new certificate is not served');
    assert.ok(renewals > 0);
  } finally {
    await serving.stop();
  }
});
const rejected = (configuration: object): Promise<string> =>
  servingIdentity(options('rejected', configuration)).then(
    () => assert.unreachable() as never,
    ({ message }: Error) => message,
  );
files('needs its key', async () => {
  assert.match(await rejected(write('wrong', { certificate: issue('a').certificate, key: issue('b').key })), /does not hold the key of/);
  assert.match(await rejected({ tlsCertFile: 'x' }), /need each other/);
  assert.match(await rejected({ tlsCertFile: '/nowhere/a', tlsPrivateKeyFile: '/nowhere/b' }), /cannot be read: there is no such file/);
});
files.run();
