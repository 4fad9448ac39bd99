/** Encryption by a key management service (version 2), which here is a part of the test: its keys change, it goes and comes back. */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyManagementService } from '../../../generated/node-interfaces/key-management.ts';
import { InterfaceError } from '../../../runtime/node-agent/grpc/interface-error.ts';
import { InterfaceServer } from '../../../runtime/node-agent/grpc/interface-server.ts';
import { Client } from '../../harness/client.ts';
import { runProgram } from '../../harness/program.ts';
import { startServer, type TestServer } from '../../harness/server.ts';
import { type ReceivedSpan, TraceCollector } from '../../harness/trace-collector.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'key-service-'));
const SECRETS = '/api/v1/namespaces/default/secrets';
const CONTENT = 'plain-content-of-a-secret';
const LABEL = 'value-of-a-label';

/** Encrypts seeds by keys that it alone has. */
class TestKeyService {
  readonly socket: string;
  keyId = 'first';
  healthz = 'ok';
  decryptions = 0;
  readonly #keys = new Map<string, Buffer>();
  #server = new InterfaceServer();

  constructor(socket: string) {
    this.socket = socket;
  }

  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  async listen(): Promise<void> {
    this.#server = new InterfaceServer()
      .answer(KeyManagementService.Status, () => ({ version: 'v2', healthz: this.healthz, keyId: this.keyId }))
      .answer(KeyManagementService.Encrypt, ({ plaintext }) => {
        const nonce = randomBytes(12);
        const key = this.#keys.get(this.keyId) ?? randomBytes(32);
        this.#keys.set(this.keyId, key);
        const cipher = createCipheriv('aes-256-gcm', key, nonce);
        const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
        return { ciphertext, keyId: this.keyId, annotations: [{ key: 'nonce.test.example.com', value: nonce }] };
      })
      .answer(KeyManagementService.Decrypt, ({ ciphertext, keyId, annotations, uid }) => {
        this.decryptions++;
        const key = this.#keys.get(keyId);
        if (key === undefined || uid === '') throw new InterfaceError('NOT_FOUND', `no key ${keyId}`);
        const decipher = createDecipheriv('aes-256-gcm', key, annotations[0]?.value ?? new Uint8Array());
        decipher.setAuthTag(ciphertext.subarray(-16));
        return { plaintext: Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]) };
      });
    await this.#server.listen(this.socket);
  }

  stop(): void {
    this.#server.stop();
  }
}

const service = new TestKeyService(path.join(folder, 'kms.sock'));
await service.listen();
const test = suite('a key management service');
test.after(() => {
  service.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
});

const file = path.join(folder, 'encryption.json');
writeFileSync(
  file,
  JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1',
    resources: [
      {
        resources: ['secrets'],
        providers: [{ kms: { apiVersion: 'v2', name: 'tested', endpoint: `unix://${service.socket}`, timeout: '2s' } }, { identity: {} }],
      },
    ],
  }),
  { mode: 0o600 },
);
const start = (workers: number, ...others: readonly string[]): Promise<TestServer> =>
  startServer({
    dialect: 'kubernetes',
    directory: folder,
    flags: [`--workers=${workers}`, `--encryption-provider-config=${file}`, '--encryption-provider-config-automatic-reload', ...others],
    // spans need not wait for others
    env: { OTEL_BSP_SCHEDULE_DELAY: '20' },
  });

async function assertReadable(server: TestServer): Promise<void> {
  const client = new Client(server);
  for (const asked of [SECRETS, `${SECRETS}?labelSelector=kept%3D${LABEL}`]) {
    const { body, status, text } = await client.get(asked);
    assert.is(status, 200, text);
    const found = body.items.map(({ metadata, data }: { metadata: { name: string }; data: { text: string } }) => [
      metadata.name,
      Buffer.from(data.text, 'base64').toString(),
    ]);
    const expected = ['a', 'b', 'c'].map((name) => [name, `${CONTENT}-${name}`]);
    assert.equal(found, asked === SECRETS ? expected : expected.slice(0, 2));
  }
  client.close();
}

/** Files of the store that hold the text. */
function filesWith(text: string): string[] {
  const store = path.join(folder, 'data', 'store');
  const all = readdirSync(store, { recursive: true, encoding: 'utf8' }).map((name) => path.join(store, name));
  return all.filter((name) => statSync(name).isFile() && readFileSync(name).includes(text));
}

const rewrite = (server: TestServer) =>
  runProgram('rewrite-storage', `--kubeconfig=${server.kubeconfig}`, '--dialect=kubernetes', 'secrets');

test('encrypts, by whatever key the service has, for several processes', async () => {
  const server = await start(2);
  const client = new Client(server);
  for (const name of ['a', 'b', 'c']) {
    const labels = name === 'c' ? {} : { kept: LABEL };
    const { status, text } = await client.post(SECRETS, { metadata: { name, labels }, stringData: { text: `${CONTENT}-${name}` } });
    assert.is(status, 201, text);
  }
  await assertReadable(server);
  await assertReadable(server);
  for (const [check, status] of [
    ['/readyz', 200],
    ['/livez', 404],
    ['/healthz', 200],
  ] as const)
    assert.is((await client.get(`${check}/kms-providers`)).status, status);
  const { text: figures } = await client.get('/metrics');
  const hash = `sha256:${createHash('sha256').update('first').digest('hex')}`;
  const ofServer = 'apiserver_id_hash="sha256:[0-9a-f]{64}"';
  for (const [name, labels, count] of [
    ['key_id_hash_total', `${ofServer},key_id_hash="${hash}",provider_name="tested",transformation_type="to_storage"`, '3'],
    [
      'key_id_hash_last_timestamp_seconds',
      `${ofServer},key_id_hash="${hash}",provider_name="tested",transformation_type="to_storage"`,
      String.raw`\d{10}[.\d]*`,
    ],
    ['key_id_hash_status_last_timestamp_seconds', `${ofServer},key_id_hash="${hash}",provider_name="tested"`, String.raw`\d{10}[.\d]*`],
    [
      'kms_operations_latency_seconds_count',
      'grpc_status_code="OK",method_name="/v2.KeyManagementService/Encrypt",provider_name="tested"',
      '2',
    ],
    ['dek_source_cache_size', 'provider_name="tested"', '[12]'],
  ] as const)
    assert.match(figures, new RegExp(`^apiserver_envelope_encryption_${name}\\{${labels}\\} ${count}$`, 'm'));
  // the three were written by both processes or by one, and each process has made a seed
  const ofProvider = 'transformation_type="to_storage",transformer_prefix="k8s:enc:kms:v2:tested:"';
  for (const row of [
    `transformation_operations_total{resource="secrets",status="OK",${ofProvider}} 3`,
    `transformation_duration_seconds_count{${ofProvider}} 3`,
    'data_key_generation_duration_seconds_count 2',
    'data_key_generation_failures_total 0',
  ])
    assert.match(figures, `\napiserver_storage_${row}\n`);
  client.close();
  await server.kill();
  for (const secret of [CONTENT, Buffer.from(`${CONTENT}-a`).toString('base64'), LABEL]) assert.equal(filesWith(secret), []);
  assert.ok(filesWith('k8s:enc:kms:v2:tested:').length > 0);
});

test('a new key of the service encrypts from then on, and the old one can go once all is rewritten', async () => {
  service.keyId = 'second';
  const before = service.decryptions;
  const server = await start(1);
  await assertReadable(server);
  const reader = new Client(server);
  const misses = /^apiserver_storage_envelope_transformation_cache_misses_total (\d+)$/m.exec((await reader.get('/metrics')).text)?.[1];
  assert.is(Number(misses), service.decryptions - before);
  reader.close();
  // two processes had a seed each
  assert.ok(service.decryptions - before <= 2, `${service.decryptions - before} seeds were decrypted`);
  assert.match((await rewrite(server)).out, 'secrets: 3 objects written anew of 3 objects');
  assert.match((await rewrite(server)).out, 'secrets: 0 objects written anew of 3 objects');
  assert.is(await server.stop(), 0);
  service.forget('first');
  const again = await start(1);
  await assertReadable(again);
  assert.is(await again.stop(), 0);
});

/** A read waits for the service as a part of what the request does. */
async function assertOpening(collector: TraceCollector, spanId: string, failed: boolean): Promise<void> {
  const { name, attributes, events, parentId } = await collector.find((span) => span.spanId === spanId);
  assert.is(name, 'TransformFromStorage with envelopeTransformer');
  assert.equal(attributes, { 'transformer.provider.name': 'tested' });
  const asked = ['About to decode encrypted object', 'Decoded encrypted object', 'About to decrypt DEK using remote service'];
  const outcome = failed
    ? ['DEK decryption failed', 'exception']
    : ['DEK decryption succeeded', 'About to decrypt data using DEK', 'Data decryption succeeded'];
  assert.equal(events, [...asked, ...outcome]);
  assert.is((await collector.find((span) => span.spanId === parentId)).name, 'Get');
}

/** One part of a request, and the names of those below it. @param id of the request */
async function partsOf(collector: TraceCollector, id: string, part: string): Promise<{ events: readonly string[]; below: string[] }> {
  const spans = collector.trace((await collector.request(id)).traceId);
  const { spanId, events } = spans.find(({ name }) => name === part) as ReceivedSpan;
  return { events, below: spans.filter(({ parentId }) => parentId === spanId).map(({ name }) => name) };
}

test('a service that is gone or ill makes the server unready; what it has not decrypted is an error, and is there again when it is', async () => {
  service.stop();
  const collector = await new TraceCollector().listen();
  const tracing = path.join(folder, 'tracing.json');
  const { endpoint } = collector;
  const traced = {
    kind: 'TracingConfiguration',
    apiVersion: 'apiserver.config.k8s.io/v1beta1',
    endpoint,
    samplingRatePerMillion: 1_000_000,
  };
  writeFileSync(tracing, JSON.stringify(traced));
  const server = await start(1, `--tracing-config-file=${tracing}`);
  const client = new Client(server);
  try {
    const readiness = async (): Promise<number> => (await client.get('/readyz/kms-providers')).status;
    assert.is(await readiness(), 500);
    assert.match(
      (await client.get('/metrics')).text,
      /_latency_seconds_count\{grpc_status_code="Unavailable",method_name="\/v2\.KeyManagementService\/Status",provider_name="tested"\} [1-9]/,
    );
    const unwritten = await client.post(SECRETS, { metadata: { name: 'd' } }, { 'audit-id': 'unwritten' });
    assert.is(unwritten.status, 500);
    assert.match(
      unwritten.text,
      /"Internal error occurred: failed to perform status section of the healthz check for KMS Provider tested, error: rpc error: code = /,
    );
    const unread = await client.get(`${SECRETS}/a`);
    assert.is(unread.status, 500);
    assert.match(
      (await client.get('/metrics')).text,
      /^apiserver_storage_transformation_operations_total\{resource="secrets",status="(Unavailable|DeadlineExceeded)",transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:tested:"\} [1-9]/m,
    );
    assert.match(unread.text, /unable to transform key \\"secrets\/default\/a\\": failed to decrypt DEK, error: rpc error: code = /);
    assert.is((await client.get('/api/v1/namespaces/default')).status, 200);
    service.healthz = 'ill';
    await service.listen();
    await sleep(500);
    assert.is(await readiness(), 500);
    // it decrypts all the same
    for (let i = 0; i < 100 && (await client.get(`${SECRETS}/a`)).status !== 200; i++) await sleep(100);
    await assertReadable(server);
    service.healthz = 'ok';
    for (let i = 0; i < 200 && (await readiness()) !== 200; i++) await sleep(100);
    assert.is(await readiness(), 200);
    assert.is((await client.post(SECRETS, { metadata: { name: 'd' } })).status, 201);
    for (const [method, ...outcomes] of [
      ['Status', false],
      ['Encrypt', false],
      ['Decrypt', true, false],
    ] as const)
      for (const failed of outcomes) {
        const { parentId } = await collector.find(
          ({ name, attributes }) =>
            name === `v2.KeyManagementService/${method}` &&
            attributes['transformer.provider.name'] === 'tested' &&
            (attributes['rpc.grpc.status_code'] !== 0) === failed,
        );
        // one that fails may be for nobody's request
        if (method !== 'Decrypt') assert.is(parentId, '');
        else if (parentId !== '') await assertOpening(collector, parentId, failed);
        else assert.ok(failed);
      }
    const unsealed = await partsOf(collector, 'unwritten', 'Create etcd3');
    assert.equal(unsealed.events, ['About to Encode', 'Encode succeeded', 'TransformToStorage failed']);
    assert.equal(unsealed.below, ['TransformToStorage with envelopeTransformer']);
    for (const [id, length] of [
      ['written', 10],
      // which another thread answers
      ['long', 40_000],
    ] as const) {
      const body = { metadata: { name: id }, stringData: { text: 'x'.repeat(length) } };
      assert.is((await client.post(SECRETS, body, { 'audit-id': id })).status, 201);
      const sealed = await partsOf(collector, id, 'Create etcd3');
      assert.equal(sealed.events, [
        'About to Encode',
        'Encode succeeded',
        'TransformToStorage succeeded',
        'Txn call succeeded',
        'decode succeeded',
      ]);
      assert.equal(sealed.below, ['TransformToStorage with envelopeTransformer']);
    }
  } finally {
    client.close();
    await server.stop();
    collector.stop();
  }
});
test.run();
