/** Values in etcd behind a key management service (version 2): those of others are read without a thread, and those that are written can be read by others. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { status as codes } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DecryptRequest, EncryptedObject, KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { EncryptionFigures } from '../../../runtime/assembly/encryption/encryption-figures.ts';
import { KeyService } from '../../../runtime/assembly/encryption/key-service.ts';
import { InterfaceError, type InterfaceErrorCode } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { decodeWireMessage } from '../../../runtime/schema/protobuf/wire-messages.ts';
import type { Decrypted } from '../../../runtime/storage/encryption/providers.ts';
import { withMachineClock } from '../../harness/machine-clock.ts';
import {
  gcmBytes,
  type ObjectMembers,
  SECRET_KEY,
  secondServiceBytes,
  secretOf,
  seedBytes,
} from '../../storage/etcd/encryption/etcd-bytes.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'key-service-open-'));
const socket = path.join(folder, 'kms.sock');
let keyId = 'key';
let failure: InterfaceErrorCode | undefined;
/** whether it decrypts to other bytes than were encrypted */
let isLying = false;
const asked: DecryptRequest[] = [];
const reversed = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes).reverse();
const server = new InterfaceServer()
  .answer(KeyManagementService.Status, () => ({ version: 'v2', healthz: 'ok', keyId }))
  .answer(KeyManagementService.Encrypt, ({ plaintext }) => ({ ciphertext: reversed(plaintext), keyId, annotations: [] }))
  .answer(KeyManagementService.Decrypt, (request) => {
    asked.push(request);
    if (failure !== undefined) throw new InterfaceError(failure, 'not open');
    return { plaintext: isLying ? Uint8Array.from(request.ciphertext) : reversed(request.ciphertext) };
  });
await server.listen(socket);

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} };
const services: KeyService[] = [];
const newService = (): KeyService => {
  const configuration = { apiVersion: 'v2', name: 'vault', endpoint: `unix://${socket}`, timeout: '5s' };
  const service = new KeyService(configuration, { log: quiet, figures: new EncryptionFigures(), tracing: {} });
  services.push(service);
  return service;
};

const test = suite('values in etcd behind a key management service');
test.before.each(() => {
  [keyId, failure, isLying] = ['key', undefined, false];
  asked.length = 0;
});
test.after(() => {
  for (const each of services) each.close();
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const SEED = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const seeded: ObjectMembers = { data: seedBytes(SEED, 'plain', SECRET_KEY), keyId: 'key', source: Buffer.from(reversed(SEED)), type: 1 };
/** Behind the name of the provider. */
const stored = (members: Partial<ObjectMembers> = {}): Buffer =>
  secondServiceBytes('vault', { ...seeded, ...members }).subarray('k8s:enc:kms:v2:vault:'.length);
const read = async (service: KeyService, encrypted: Buffer, key = SECRET_KEY): Promise<[string, boolean]> => {
  const { text, outdated } = await service.open(encrypted, key);
  return [text.toString(), outdated];
};
const reasonOf = async (service: KeyService, encrypted: Buffer, key = SECRET_KEY): Promise<string> =>
  read(service, encrypted, key).then(
    () => 'none',
    (error: Error) => error.message,
  );

test('one that others have written by a seed is read; the service is asked once for it', async () => {
  const service = newService();
  await service.look();
  const first = service.open(stored(), SECRET_KEY);
  assert.instance(first, Promise);
  assert.equal(await Promise.all([read(service, stored()), read(service, stored())]), [
    ['plain', false],
    ['plain', false],
  ]);
  assert.is(((await first) as Decrypted).text.toString(), 'plain');
  assert.is(asked.length, 1);
  assert.equal([asked[0]?.keyId, Buffer.from(asked[0]?.ciphertext ?? [])], ['key', seeded.source]);
  const again = service.open(stored(), SECRET_KEY);
  assert.not.instance(again, Promise, 'a seed that is known keeps nobody waiting');
});

test('one that an earlier release has written by a key is read, and outdated', async () => {
  const service = newService();
  await service.look();
  const data = gcmBytes(SEED, 'plain', SECRET_KEY);
  assert.equal(await read(service, stored({ data, type: 0 })), ['plain', true]);
});

test('one of another key of the service is outdated, and so are all when it has another key', async () => {
  const service = newService();
  await service.look();
  assert.equal(await read(service, stored({ keyId: 'before' })), ['plain', true]);
  assert.equal(await read(service, stored()), ['plain', false]);
  let changes = 0;
  service.seedChanged = () => void changes++;
  keyId = 'next';
  await service.look();
  assert.is(changes, 1);
  assert.equal(await read(service, stored()), ['plain', true]);
});

test('annotations are told to the service, and their order does not make another seed', async () => {
  const service = newService();
  const notes = [
    ['a.example', Buffer.from('one')],
    ['b.example', Buffer.from('two')],
  ] as const;
  assert.equal(await read(service, stored({ annotations: notes })), ['plain', false]);
  assert.equal(await read(service, stored({ annotations: notes.toReversed() })), ['plain', false]);
  assert.equal(
    asked.map(({ annotations }) => annotations.map(({ key, value }) => `${key}=${Buffer.from(value)}`)),
    [['a.example=one', 'b.example=two']],
  );
});

test('what is written is as others read it', async () => {
  const service = newService();
  await service.look();
  const object = decodeWireMessage(EncryptedObject, Buffer.concat(service.seal(Buffer.from('plain'), SECRET_KEY)));
  const seed = Buffer.from(reversed(object.encryptedDEKSource));
  const data = Buffer.from(object.encryptedData);
  assert.equal([object.keyID, object.encryptedDEKSourceType, seed.length, data.length], ['key', 1, 32, 32 + 12 + 5 + 16]);
  const info = data.subarray(0, 32);
  const { createDecipheriv, createHmac } = await import('node:crypto');
  const key = createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, data.subarray(32, 44));
  decipher.setAAD(Buffer.from(SECRET_KEY)).setAuthTag(data.subarray(-16));
  assert.is(decipher.update(data.subarray(44, -16)).toString() + decipher.final().toString(), 'plain');
  assert.equal(await read(newService(), Buffer.concat(service.seal(Buffer.from('plain'), SECRET_KEY))), ['plain', false]);
});

const UNAUTHENTIC = 'cipher: message authentication failed';
test('reasons are those of 1.32', async () => {
  const service = newService();
  const rows: [members: Partial<ObjectMembers>, reason: string][] = [
    [{ type: 2 }, 'unknown encryptedDEKSourceType: 2'],
    [{ data: Buffer.alloc(0) }, 'encrypted data is empty'],
    [{ source: Buffer.alloc(0) }, 'failed to validate encrypted DEK source: encrypted DEK source is empty'],
    [
      { source: Buffer.alloc(1_025) },
      'failed to validate encrypted DEK source: encrypted DEK source is 1025 bytes, which exceeds the max size of 1024',
    ],
    [{ keyId: '' }, 'failed to validate key id: keyID is empty'],
    [{ keyId: 'k'.repeat(1_025) }, 'failed to validate key id: keyID is 1025 bytes, which exceeds the max size of 1024'],
    [{ source: Buffer.alloc(31) }, 'invalid seed length 31 used for key generation'],
    [{ source: Buffer.alloc(31), type: 0 }, 'crypto/aes: invalid key size 31'],
    [{ data: Buffer.alloc(31) }, 'the stored data was shorter than the required size'],
    [{ data: seedBytes(secretOf(3), 'plain', SECRET_KEY) }, UNAUTHENTIC],
  ];
  for (const [members, reason] of rows) assert.is(await reasonOf(service, stored(members)), reason);
  assert.is(await reasonOf(service, stored(), '/registry/secrets/default/b'), UNAUTHENTIC);
  assert.is.not(await reasonOf(service, Buffer.of(1)), 'none');
});

test('a wrong seed of the service is not remembered; one that has opened a value is, whatever it does not open', async () => {
  const service = newService();
  isLying = true;
  assert.is(await reasonOf(service, stored()), UNAUTHENTIC);
  isLying = false;
  assert.equal(await read(service, stored()), ['plain', false]);
  assert.is(asked.length, 2);
  assert.is(await reasonOf(service, stored(), '/registry/secrets/default/b'), UNAUTHENTIC);
  assert.equal(await read(service, stored()), ['plain', false]);
  assert.is(asked.length, 2);
});

test('a seed of which nobody has heard for three minutes writes no more, and reads go on', () =>
  withMachineClock(async (clock) => {
    const service = newService();
    assert.throws(() => service.seal(Buffer.from('plain'), SECRET_KEY), /^the key management service vault has not been asked yet$/);
    await service.look();
    const value = Buffer.concat(service.seal(Buffer.from('plain'), SECRET_KEY));
    clock.pass(180_001);
    const date = '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ';
    assert.throws(
      () => service.seal(Buffer.from('plain'), SECRET_KEY),
      new RegExp(`^encryptedDEKSource with keyID hash "sha256:[0-9a-f]{64}" expired at ${date} \\(current time is ${date}\\)$`),
    );
    assert.equal(await read(service, value), ['plain', false]);
  }));

test('a service that fails says why, and tells when it is well again', () =>
  withMachineClock(async (clock) => {
    const service = newService();
    let wellAgain = 0;
    service.wellAgain = () => void wellAgain++;
    failure = 'FAILED_PRECONDITION';
    const reason = 'failed to decrypt DEK, error: rpc error: code = FailedPrecondition desc = not open';
    assert.is(codes[failure], 9);
    assert.is(await reasonOf(service, stored()), reason);
    failure = undefined;
    assert.is(await reasonOf(service, stored()), reason, 'it is not asked again so soon');
    assert.is(asked.length, 1);
    clock.pass(1_000);
    await service.look();
    assert.is(wellAgain, 1);
    assert.equal(await read(service, stored()), ['plain', false]);
    await service.look();
    assert.is(wellAgain, 1);
  }));
test.run();
