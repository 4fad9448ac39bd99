/** Key management services that answer anything: what is wrong is told, short, and nothing is written by it. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EncryptResponse, KeyManagementService, type StatusResponse } from '../../../generated/node-interfaces/key-management.ts';
import { EncryptionFigures } from '../../../runtime/assembly/encryption/encryption-figures.ts';
import { KeyService } from '../../../runtime/assembly/encryption/key-service.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import type { Log } from '../../../runtime/observability/log.ts';
import { HOUR, withMachineClock } from '../../harness/machine-clock.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'key-service-answers-'));
const socket = path.join(folder, 'kms.sock');
let status: Partial<StatusResponse> = {};
let encrypted: Partial<EncryptResponse> = {};
const server = new InterfaceServer()
  .answer(KeyManagementService.Status, () => ({ version: 'v2', healthz: 'ok', keyId: 'key', ...status }))
  .answer(KeyManagementService.Encrypt, ({ plaintext }) => ({ ciphertext: plaintext, keyId: 'key', annotations: [], ...encrypted }));
await server.listen(socket);

const logged: string[] = [];
const log: Log = { debug() {}, info() {}, warn: (...words: unknown[]) => void logged.push(JSON.stringify(words)), error() {} };

const test = suite('answers of a key management service');
let service: KeyService;
test.before.each(() => {
  [status, encrypted] = [{}, {}];
  logged.length = 0;
  const configuration = { apiVersion: 'v2', name: 'tested', endpoint: `unix://${socket}`, timeout: '5s' };
  service = new KeyService(configuration, { log, figures: new EncryptionFigures(), tracing: {} });
});
test.after.each(() => service.close());
test.after(() => {
  server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const note = (key: string, bytes = 1) => ({ key, value: new Uint8Array(bytes) });
const MB = 1024 * 1024;
const rows: [name: string, of: { status?: Partial<StatusResponse>; encrypted?: Partial<EncryptResponse> }, problem: RegExp][] = [
  ['no key id', { status: { keyId: '' } }, /got invalid KMSv2 KeyID hash "": keyID is empty/],
  [
    'a key id of 10 KB',
    { status: { keyId: 'k'.repeat(10_240) } },
    /got invalid KMSv2 KeyID hash "sha256:[0-9a-f]{64}": keyID is 10240 bytes, which exceeds the max size of 1024$/,
  ],
  ['a key id of 1 MB', { status: { keyId: 'k'.repeat(MB) } }, /ResourceExhausted|larger than max/],
  ['16 MB', { status: { healthz: 'h'.repeat(16 * MB) } }, /ResourceExhausted|larger than max/],
  ['no encrypted seed', { encrypted: { ciphertext: new Uint8Array(0) } }, /encrypted DEK source is empty/],
  [
    'an encrypted seed that is too long',
    { encrypted: { ciphertext: new Uint8Array(1_025) } },
    /encrypted DEK source is 1025 bytes, which exceeds the max size of 1024/,
  ],
  [
    'a seed that another key has encrypted than the one that it says it encrypts by',
    { encrypted: { keyId: 'other' } },
    /failed to rotate DEK .*statusKeyIDHash="sha256:[0-9a-f]+", encryptKeyIDHash="sha256:[0-9a-f]+", stateKeyIDHash=""/,
  ],
  ['another key without an id', { encrypted: { keyId: '' } }, /keyID is empty/],
  [
    'an annotation whose key is no domain',
    { encrypted: { annotations: [note('__proto__')] } },
    /annotations: Invalid value: "__proto__": a lowercase RFC 1123 subdomain must/,
  ],
  [
    'an annotation whose key is one label',
    { encrypted: { annotations: [note('constructor')] } },
    /annotations: Invalid value: "constructor": should be a domain with at least two segments separated by dots/,
  ],
  ['an annotation without a key', { encrypted: { annotations: [note('')] } }, /annotations: Required value/],
  [
    'annotations that are too long',
    { encrypted: { annotations: [note('a.b', 20_000), note('a.c', 20_000)] } },
    /total size of annotations is 40006, which exceeds the max size of 32768/,
  ],
];
for (const [name, of, problem] of rows)
  test(name, async () => {
    status = of.status ?? {};
    encrypted = of.encrypted ?? {};
    assert.match((await service.look()) ?? 'no problem', problem);
    assert.ok(logged.join('').length < 4_000);
    assert.throws(() => service.encrypt(Buffer.from('plain'), 'key'));
  });
// as in 1.32, where the key that it names counts all the same
for (const [name, unwell, problem] of [
  ['another version', { version: 'v'.repeat(10_000) }, /expected KMSv2 API version v2, got v{1024}$/],
  ['another health', { healthz: 'h'.repeat(10_000) }, /got unexpected healthz status: h{1024}$/],
] as const)
  test(`${name} is told, and values are encrypted`, () =>
    withMachineClock(async (clock) => {
      status = unwell;
      for (const key of ['key', 'key', 'next']) {
        [status, encrypted] = [{ ...unwell, keyId: key }, { keyId: key }];
        assert.match((await service.look()) ?? 'no problem', problem);
        assert.is(service.decrypt(Buffer.concat(service.encrypt(Buffer.from('plain'), 'a')), 'a').text.toString(), 'plain');
        clock.pass(100_000);
      }
      assert.ok(logged.join('').length < 4_000);
    }));
test('another version than at first is told', async () => {
  assert.is(await service.look(), undefined);
  status = { version: 'v2beta1' };
  assert.match(
    (await service.look()) ?? '',
    /error: KMSv2 API version should not change after the initial status response version v2, got v2beta1$/,
  );
  service.encrypt(Buffer.from('plain'), 'a');
});
const hashed = (keyId: string): string => `sha256:${createHash('sha256').update(keyId).digest('hex')}`;
test('why a key of the service is not used is told with what was there before', async () => {
  encrypted = { annotations: [note('panda')] };
  const invalid =
    'failed to validate annotations: annotations: Invalid value: "panda": should be a domain with at least two segments separated by dots';
  assert.is(
    await service.look(),
    'kmsv2 Provider tested is not healthy, error: failed to rotate DEK useSeed=true, errState=got unexpected nil transformer, ' +
      `errGen=${invalid}, statusKeyIDHash="${hashed('key')}", encryptKeyIDHash="", stateKeyIDHash="", expirationTimestamp=0001-01-01T00:00:00Z`,
  );
  encrypted = {};
  assert.is(await service.look(), undefined);
  [status, encrypted] = [{ keyId: 'next' }, { annotations: [note('panda')] }];
  const told = (await service.look()) ?? '';
  assert.match(
    told,
    `errState=<nil>, errGen=${invalid}, statusKeyIDHash="${hashed('next')}", encryptKeyIDHash="", stateKeyIDHash="${hashed('key')}"`,
  );
  assert.match(told, /expirationTimestamp=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});
test('a new key that the service does not encrypt by leaves the seed before', async () => {
  assert.is(await service.look(), undefined);
  status = { keyId: 'next' };
  assert.match((await service.look()) ?? '', /failed to rotate DEK .*stateKeyIDHash="sha256:[0-9a-f]+"/);
  service.encrypt(Buffer.from('plain'), 'a');
});
for (const hours of [-6, 0, 6])
  test(`a seed is good for three minutes after the last look where the clock is set by ${hours} hours`, () =>
    withMachineClock(async (clock) => {
      assert.is(await service.look(), undefined);
      clock.set(hours * HOUR);
      clock.pass(100_000);
      service.encrypt(Buffer.from('plain'), 'key');
      assert.is(await service.look(), undefined);
      clock.set(-hours * HOUR);
      clock.pass(100_000);
      service.encrypt(Buffer.from('plain'), 'key');
      clock.pass(100_000);
      const date = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
      assert.throws(
        () => service.encrypt(Buffer.from('plain'), 'key'),
        new RegExp(`^EDEK with keyID hash "sha256:[0-9a-f]+" expired at ${date} \\(current time is ${date}\\)$`),
      );
    }));
test('the longest that is right', async () => {
  status = { keyId: 'k'.repeat(1_024) };
  encrypted = { keyId: 'k'.repeat(1_024), ciphertext: new Uint8Array(1_024), annotations: [note('a.b', 32_765)] };
  assert.is(await service.look(), undefined);
});
test.run();
