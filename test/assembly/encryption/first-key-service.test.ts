/** Values in etcd behind a key management service of version 1: each has a key of its own, which the service has encrypted. */
import { createDecipheriv } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KMSConfiguration } from '../../../generated/apiserverconfig/v1/types.ts';
import { metricsData } from '../../../generated/metrics.ts';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management-v1.ts';
import { EncryptionFigures } from '../../../runtime/assembly/encryption/encryption-figures.ts';
import { FirstKeyService } from '../../../runtime/assembly/encryption/first-key-service.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { cbcBytes, firstServiceBytes, gcmBytes, SECRET_KEY, secretOf } from '../../storage/etcd/encryption/etcd-bytes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'first-key-service-'));
const socket = path.join(folder, 'kms.sock');
let version = 'v1beta1';
let failing: 'encrypt' | 'decrypt' | undefined;
/** bytes that stand behind each encrypted key */
let padding = 0;
const asked: string[] = [];
const reversed = (bytes: Uint8Array): Buffer => Buffer.from(bytes).reverse();
const answering = (what: 'encrypt' | 'decrypt', stated: string): void => {
  asked.push(`${what} ${stated}`);
  if (failing === what) throw new InterfaceError('INTERNAL', 'not open');
};
const server = new InterfaceServer()
  .answer(KeyManagementService.Version, () => {
    asked.push('version');
    return { version, runtimeName: 'tested', runtimeVersion: '1.0.0' };
  })
  .answer(KeyManagementService.Encrypt, ({ plain, version: stated }) => {
    answering('encrypt', stated);
    return { cipher: Uint8Array.from(Buffer.concat([reversed(plain), Buffer.alloc(padding)])) };
  })
  .answer(KeyManagementService.Decrypt, ({ cipher, version: stated }) => {
    answering('decrypt', stated);
    return { plain: Uint8Array.from(reversed(cipher.subarray(0, cipher.length - padding))) };
  });
await server.listen(socket);

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const services: FirstKeyService[] = [];
const figures = new EncryptionFigures();
const newService = (of: Partial<KMSConfiguration> = {}): FirstKeyService => {
  const configuration = { apiVersion: 'v1', name: 'vault', endpoint: `unix://${socket}`, timeout: '5s', ...of };
  const service = new FirstKeyService(configuration, { log: quiet, figures, tracing: {} });
  services.push(service);
  return service;
};

const test = suite('values in etcd behind a key management service of version 1');
test.before.each(() => {
  [version, failing, padding] = ['v1beta1', undefined, 0];
  asked.length = 0;
});
test.after(() => {
  for (const each of services) each.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const KEY = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
/** Behind the name of the provider. */
const stored = (encrypted: Buffer, encryptedKey = reversed(KEY)): Buffer =>
  firstServiceBytes('vault', encryptedKey, encrypted).subarray('k8s:enc:kms:v1:vault:'.length);
const read = async (service: FirstKeyService, encrypted: Buffer, key = SECRET_KEY): Promise<[string, boolean]> => {
  const { text, outdated } = await service.decrypt(encrypted, key);
  return [text.toString(), outdated];
};
const reasonOf = async (of: () => Promise<unknown>): Promise<string> => {
  try {
    await of();
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

test('one that others have written is read; its key is asked for once, and the version of the service', async () => {
  const service = newService();
  assert.is(service.prefix, 'k8s:enc:kms:v1:vault:');
  const value = stored(gcmBytes(KEY, 'plain', SECRET_KEY));
  assert.equal(await Promise.all([read(service, value), read(service, value)]), [
    ['plain', false],
    ['plain', false],
  ]);
  assert.not.instance(service.decrypt(value, SECRET_KEY), Promise);
  assert.equal(asked, ['version', 'decrypt v1beta1']);
});

test('one that a release before 1.25 has written by CBC is read, and outdated', async () => {
  assert.equal(await read(newService(), stored(cbcBytes(KEY, 'plain'))), ['plain', true]);
});

test('what is written is as others read it, each time by another key', async () => {
  const service = newService();
  const values = [];
  for (const plain of ['plain', 'other']) values.push(Buffer.concat(await service.encrypt(Buffer.from(plain), SECRET_KEY)));
  const [value, next] = values as [Buffer, Buffer];
  assert.is(value.readUInt16BE(), 32);
  const key = reversed(value.subarray(2, 34));
  assert.not(key.equals(reversed(next.subarray(2, 34))));
  const decipher = createDecipheriv('aes-256-gcm', key, value.subarray(34, 46));
  decipher.setAAD(Buffer.from(SECRET_KEY)).setAuthTag(value.subarray(-16));
  assert.is(decipher.update(value.subarray(46, -16)).toString() + decipher.final().toString(), 'plain');
  assert.equal(asked, ['version', 'encrypt v1beta1', 'encrypt v1beta1'], 'a key that was written by is known');
  assert.equal(await read(service, value), ['plain', false]);
  assert.equal(await read(newService(), next), ['other', false]);
});

test('memory that is used again while the service is asked changes nothing', async () => {
  const service = newService();
  const text = Buffer.from('plain');
  const encrypting = service.encrypt(text, SECRET_KEY);
  text.fill('x');
  assert.equal(await read(service, Buffer.concat(await encrypting)), ['plain', false]);
});

test('as many keys are remembered as the configuration says', async () => {
  const valueBy = (byte: number) => stored(gcmBytes(secretOf(byte), 'plain', SECRET_KEY), secretOf(byte));
  const service = newService({ cachesize: 2 });
  for (const byte of [1, 2, 1, 3, 1, 2]) await read(service, valueBy(byte));
  assert.is(asked.filter((each) => each.startsWith('decrypt')).length, 4, 'the second had to go for the third');
  asked.length = 0;
  const forgetful = newService({ cachesize: -1 });
  for (const byte of [1, 1]) await read(forgetful, valueBy(byte));
  assert.is(asked.filter((each) => each.startsWith('decrypt')).length, 2);
});

test('what it does is shown as in 1.32', async () => {
  const metrics = new Metrics(metricsData);
  figures.show(metrics);
  const service = newService({ cachesize: 4 });
  const value = Buffer.concat(await service.encrypt(Buffer.from('plain'), SECRET_KEY));
  await read(service, value);
  await read(service, stored(gcmBytes(KEY, 'plain', SECRET_KEY)));
  const { values, histograms } = metrics.figures();
  assert.equal(
    values.apiserver_envelope_encryption_dek_cache_fill_percent?.map((each) => each.value),
    [0.5],
  );
  const times = histograms.apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds ?? [];
  assert.equal(times.map(({ labels }) => labels.transformation_type).sort(), ['from_storage', 'to_storage']);
  const calls = histograms.apiserver_envelope_encryption_kms_operations_latency_seconds ?? [];
  assert.ok(calls.some(({ labels }) => labels.method_name === '/v1beta1.KeyManagementService/Encrypt' && labels.provider_name === 'vault'));
});

test('reasons are those of 1.32', async () => {
  const service = newService();
  const NO_KEY = 'invalid data encountered by envelope transformer: failed to read uint16 length prefixed data';
  for (const short of [Buffer.alloc(0), Buffer.of(0), Buffer.of(0, 2, 1)]) assert.is(await reasonOf(() => read(service, short)), NO_KEY);
  const value = stored(gcmBytes(KEY, 'plain', SECRET_KEY));
  const both = '[cipher: message authentication failed, the stored data is not a multiple of the block size]';
  assert.is(await reasonOf(() => read(service, value, '/registry/secrets/default/b')), both);
  assert.is(await reasonOf(() => read(service, stored(Buffer.alloc(60), Buffer.alloc(31)))), 'crypto/aes: invalid key size 31');
  assert.is(await reasonOf(() => read(service, stored(Buffer.alloc(3)))), 'the stored data was shorter than the required size');
  padding = 0xffff;
  assert.is(
    await reasonOf(() => service.encrypt(Buffer.from('plain'), SECRET_KEY)),
    'cryptobyte: pending child length 65567 exceeds 2-byte length prefix',
  );
});

test('what the service says is the reason', async () => {
  const value = stored(gcmBytes(KEY, 'plain', SECRET_KEY));
  failing = 'decrypt';
  assert.is(await reasonOf(() => read(newService(), value)), 'rpc error: code = Internal desc = not open');
  failing = 'encrypt';
  assert.is(await reasonOf(() => newService().encrypt(Buffer.from('plain'), SECRET_KEY)), 'rpc error: code = Internal desc = not open');
  failing = undefined;
  version = 'v1';
  const service = newService();
  const other = 'KMS provider api version v1 is not supported, only v1beta1 is supported now';
  assert.is(await reasonOf(() => service.encrypt(Buffer.from('plain'), SECRET_KEY)), other);
  version = 'v1beta1';
  assert.is(await reasonOf(() => service.encrypt(Buffer.from('plain'), SECRET_KEY)), 'none', 'it is asked again');
});

test('a look has it encrypt and decrypt', async () => {
  const service = newService();
  let wellAgain = 0;
  service.wellAgain = () => void wellAgain++;
  assert.is.not(service.problem, undefined);
  for (const section of ['encrypt', 'decrypt'] as const) {
    failing = section;
    const problem = `failed to perform ${section} section of the healthz check for KMS Provider vault, error: rpc error: code = Internal desc = not open`;
    assert.is(await service.look(), problem);
    assert.is(service.problem, problem);
  }
  assert.is.not(await reasonOf(() => read(service, stored(gcmBytes(KEY, 'plain', SECRET_KEY)))), 'none');
  failing = undefined;
  assert.is(await service.look(), undefined);
  assert.is(service.problem, undefined);
  assert.is(wellAgain, 1);
});
test.run();
