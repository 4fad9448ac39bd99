/** The configuration file of values in etcd: what it encrypts, how it is read again, and what it tells of its services. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsData } from '../../../generated/metrics.ts';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { KeyManagementService as FirstKeyManagementService } from '../../../generated/node-interfaces/key-management-v1.ts';
import { type EtcdEncryption, openEtcdEncryption } from '../../../runtime/assembly/encryption/open-etcd-encryption.ts';
import { FollowedFiles } from '../../../runtime/files/followed-files.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import type { ResourceOfPrefix } from '../../../runtime/registry/encrypted-resources.ts';
import type { ReadValue, ValueCodec } from '../../../runtime/storage/etcd/value-codec.ts';
import { fileKinds } from '../../files/reader.ts';
import { encryptionConfiguration, encryptionKey, writePrivately } from '../../harness/encryption.ts';
import { behind, firstServiceBytes, gcmBytes, secondServiceBytes, secretOf, seedBytes } from '../../storage/etcd/encryption/etcd-bytes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'open-etcd-encryption-'));
const socket = path.join(folder, 'kms.sock');
const reversed = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes).reverse();
let keyId = 'key';
let healthz = 'ok';
const server = new InterfaceServer()
  .answer(KeyManagementService.Status, () => ({ version: 'v2', healthz, keyId }))
  .answer(KeyManagementService.Encrypt, ({ plaintext }) => ({ ciphertext: reversed(plaintext), keyId, annotations: [] }))
  .answer(KeyManagementService.Decrypt, ({ ciphertext }) => ({ plaintext: reversed(ciphertext) }))
  .answer(FirstKeyManagementService.Version, () => ({ version: 'v1beta1', runtimeName: '', runtimeVersion: '' }))
  .answer(FirstKeyManagementService.Encrypt, ({ plain }) => ({ cipher: reversed(plain) }))
  .answer(FirstKeyManagementService.Decrypt, ({ cipher }) => ({ plain: reversed(cipher) }));
await server.listen(socket);

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const resourceOf: ResourceOfPrefix = (prefix) => ({ group: '', resource: prefix });
const identityCodec: ValueCodec = {
  toEtcd: (_key, value) => Buffer.from(value),
  fromEtcd: (_key, value) => ({ bytes: Buffer.from(value), revisionOffset: -1 }),
};

interface Opened {
  readonly encryption: EtcdEncryption;
  /** replaces the text of the file, and has it read */
  readonly replace: (text: string) => Promise<void>;
}

let files = 0;
const open: Opened[] = [];
async function opened(text: string | undefined, automatic = false, gates: readonly string[] = ['KMSv1']): Promise<Opened> {
  const file = text === undefined ? '' : path.join(folder, `${++files}.json`);
  if (text !== undefined) writePrivately(file, text);
  const followedFiles = new FollowedFiles();
  const featureEnabled = (gate: string): boolean => gates.includes(gate);
  const source = async () => ({ kinds: fileKinds(), featureEnabled });
  const encryption = await openEtcdEncryption({ file, reloads: automatic, log: quiet, followedFiles, resourceOf, source, patience: 0 });
  const replace = async (next: string): Promise<void> => {
    writePrivately(file, next);
    await followedFiles.readAgain();
  };
  const all = { encryption, replace };
  open.push(all);
  return all;
}

const test = suite('the encryption of values in etcd');
test.before.each(() => {
  [keyId, healthz] = ['key', 'ok'];
});
test.after.each(() => {
  for (const { encryption } of open.splice(0)) encryption.work.closing?.();
});
test.after(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const KEY = 'secrets/default/a';
const ETCD_KEY = `/registry/${KEY}`;
const PLAIN = Buffer.from('plain');
const [one, two] = [encryptionKey('one', 1), encryptionKey('two', 2)];
const configuration = (...providers: readonly object[]): string => encryptionConfiguration('kubernetes', ['secrets'], ...providers);
const service = (apiVersion: string, name = 'vault', timeout = '5s') => ({
  kms: { apiVersion, name, endpoint: `unix://${socket}`, timeout },
});
const codecOf = ({ encryption }: Opened): ValueCodec => encryption.codec(identityCodec, '/registry/');
const written = async (of: Opened): Promise<Buffer> => Buffer.from(await codecOf(of).toEtcd(KEY, PLAIN));
async function read(of: Opened, stored: Buffer): Promise<string> {
  try {
    const { bytes, outdated }: ReadValue = await codecOf(of).fromEtcd(KEY, stored);
    return `${bytes}${outdated ? ' outdated' : ''}`;
  } catch (error) {
    return (error as Error).message;
  }
}

test('without a file nothing is encrypted, and what is encrypted anyhow is refused', async () => {
  const of = await opened(undefined);
  assert.equal(await written(of), PLAIN);
  assert.is(await read(of, PLAIN), 'plain');
  assert.is(await read(of, Buffer.from('k8s:enc:aesgcm:v1:one:')), 'identity transformer tried to read encrypted data');
  assert.equal(of.encryption.work.checks, []);
});

for (const provider of ['aescbc', 'aesgcm', 'secretbox'])
  test(`${provider}: what one server has written another one reads that has the same file`, async () => {
    const text = configuration({ [provider]: { keys: [one, two] } }, { identity: {} });
    const stored = await written(await opened(text));
    assert.ok(stored.toString('latin1').startsWith(`k8s:enc:${provider}:v1:one:`));
    const other = await opened(text);
    assert.is(await read(other, stored), 'plain');
    assert.is(await read(other, PLAIN), 'plain outdated');
    assert.is(await read(await opened(configuration({ [provider]: { keys: [two, one] } })), stored), 'plain outdated');
  });

test('what kube-apiserver has written is read', async () => {
  const of = await opened(configuration({ aesgcm: { keys: [one] } }));
  const stored = behind('k8s:enc:aesgcm:v1:one:', gcmBytes(secretOf(1), PLAIN, ETCD_KEY));
  assert.is(await read(of, stored), 'plain');
  const elsewhere = behind('k8s:enc:aesgcm:v1:one:', gcmBytes(secretOf(1), PLAIN, '/registry/secrets/default/b'));
  assert.is(await read(of, elsewhere), 'cipher: message authentication failed');
});

test('a wrong file is refused', async () => {
  const problem = await opened(configuration({ aesgcm: { keys: [] } })).then(
    () => 'none',
    (error: Error) => error.message,
  );
  assert.match(problem, 'resources[0].providers[0].aesgcm.keys');
  const masked = JSON.parse(configuration({ identity: {} }));
  masked.resources.unshift({ resources: ['*.*'], providers: [service('v2')] });
  await opened(JSON.stringify(masked)).then(
    () => assert.unreachable(),
    (error: Error) => assert.is(error.message, 'resource "secrets" is masked by earlier rule "*.*"'),
  );
});

test('a file that has changed is in force, and it is told that all values may be read otherwise', async () => {
  const of = await opened(configuration({ aesgcm: { keys: [one] } }), true);
  const metrics = new Metrics(metricsData);
  of.encryption.work.showFigures?.(metrics);
  const told: string[] = [];
  of.encryption.onChange((values) => void told.push(values));
  const stored = await written(of);
  assert.is(await read(of, stored), 'plain');
  await of.replace(configuration({ secretbox: { keys: [two] } }, { aesgcm: { keys: [one] } }));
  assert.equal(told, ['all']);
  assert.is(await read(of, stored), 'plain outdated');
  assert.ok((await written(of)).toString('latin1').startsWith('k8s:enc:secretbox:v1:two:'));
  // a wrong one changes nothing
  await of.replace(configuration({ secretbox: { keys: [] } }));
  assert.equal(told, ['all']);
  assert.is(await read(of, stored), 'plain outdated');
  const figures = metrics.figures().values.apiserver_encryption_config_controller_automatic_reloads_total ?? [];
  assert.equal(figures.map(({ labels, value }) => `${labels.status} ${value}`).sort(), ['failure 1', 'success 1']);
});

test('a file that is not followed stays as it was', async () => {
  const of = await opened(configuration({ aesgcm: { keys: [one] } }));
  await of.replace(configuration({ secretbox: { keys: [two] } }));
  assert.ok((await written(of)).toString('latin1').startsWith('k8s:enc:aesgcm:v1:one:'));
});

test('a key management service', async () => {
  const of = await opened(configuration(service('v2')));
  const seed = secretOf(5);
  const members = { data: seedBytes(seed, PLAIN, ETCD_KEY), keyId: 'key', source: Buffer.from(reversed(seed)), type: 1 };
  assert.is(await read(of, secondServiceBytes('vault', members)), 'plain');
  assert.is(await read(of, secondServiceBytes('other', members)), 'no matching prefix found');
  const stored = await written(of);
  assert.ok(stored.toString('latin1').startsWith('k8s:enc:kms:v2:vault:'));
  assert.is(await read(await opened(configuration({ identity: {} }, service('v2'))), stored), 'plain outdated');
  assert.equal(
    of.encryption.work.checks?.map(({ name, check }) => [name, check()]),
    [['kms-providers', undefined]],
  );
});

test('a key management service of version 1, which a feature gate allows', async () => {
  const of = await opened(configuration(service('v1')));
  const key = secretOf(6);
  assert.is(await read(of, firstServiceBytes('vault', Buffer.from(reversed(key)), gcmBytes(key, PLAIN, ETCD_KEY))), 'plain');
  const stored = await written(of);
  assert.ok(stored.toString('latin1').startsWith('k8s:enc:kms:v1:vault:'));
  assert.is(await read(await opened(configuration({ identity: {} }, service('v1'))), stored), 'plain outdated');
  assert.equal(
    of.encryption.work.checks?.map(({ name, check }) => [name, check()]),
    [['kms-provider-0', undefined]],
  );
  await opened(configuration(service('v1')), false, []).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, 'KMSv1 is deprecated'),
  );
});

test('a service that is ill keeps a new file from being used until that is read again', async () => {
  const of = await opened(configuration({ aesgcm: { keys: [one] } }), true);
  assert.equal(
    of.encryption.work.checks?.map(({ name, check }) => [name, check()]),
    [['kms-providers', undefined]],
  );
  healthz = 'ill';
  const text = configuration(service('v2', 'vault', '100ms'));
  await of.replace(text);
  assert.ok((await written(of)).toString('latin1').startsWith('k8s:enc:aesgcm:v1:one:'));
  healthz = 'ok';
  await of.replace(text);
  assert.ok((await written(of)).toString('latin1').startsWith('k8s:enc:kms:v2:vault:'));
});

test('a service has the time of two calls to get well before a new file is given up', async () => {
  const of = await opened(configuration({ aesgcm: { keys: [one] } }), true);
  healthz = 'ill';
  setTimeout(() => {
    healthz = 'ok';
  }, 300);
  await of.replace(configuration(service('v2', 'vault', '3s')));
  assert.ok((await written(of)).toString('latin1').startsWith('k8s:enc:kms:v2:vault:'));
});

test('one check tells of all services that are ill', async () => {
  healthz = 'ill';
  const of = await opened(configuration(service('v2', 'a'), service('v2', 'b')));
  const problem = (name: string): string => `kmsv2 Provider ${name} is not healthy, error: got unexpected healthz status: ill`;
  assert.equal(
    of.encryption.work.checks?.map(({ name, check }) => [name, check()]),
    [['kms-providers', `[kms-provider-0: ${problem('a')}, kms-provider-1: ${problem('b')}]`]],
  );
  const single = await opened(configuration(service('v2', 'a')));
  assert.is(single.encryption.work.checks?.[0]?.check(), `kms-provider-0: ${problem('a')}`);
});

test('services of both versions have a check each', async () => {
  const of = await opened(configuration(service('v2'), service('v1', 'old')));
  assert.equal(
    of.encryption.work.checks?.map(({ name }) => name),
    ['kms-provider-0', 'kms-provider-1'],
  );
});
test.run();
