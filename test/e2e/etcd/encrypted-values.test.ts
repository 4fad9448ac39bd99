/** Encryption at rest of values in etcd: the bytes are those of kube-apiserver, keys are replaced, and who has no key says so. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Client, Json } from '../../harness/client.ts';
import { encryptionConfiguration, encryptionKey, writePrivately } from '../../harness/encryption.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { runProgram } from '../../harness/program.ts';
import { answered, keysBelow, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('encrypted values in etcd');

const folder = mkdtempSync(path.join(tmpdir(), 'etcd-encryption-'));
const etcd = await startEtcd();
const store = etcd.client();
test.after(async () => {
  store.close();
  rmSync(folder, { recursive: true, force: true });
  await stopAll(etcd);
});

const SECRETS = '/api/v1/namespaces/default/secrets';
const [one, two] = [encryptionKey('key1', 1), encryptionKey('key2', 2)];
const secret = (name: string): object => ({ metadata: { name }, stringData: { text: 'plain-content' } });

let files = 0;
function configured(...providers: readonly object[]): string {
  const file = path.join(folder, `${++files}.json`);
  writePrivately(file, encryptionConfiguration('kubernetes', ['secrets'], ...providers));
  return `--encryption-provider-config=${file}`;
}

async function over<T>(flags: readonly string[], work: (client: Client, of: ServerOver) => Promise<T>): Promise<T> {
  const started = await startOver(etcd, flags);
  try {
    return await work(started.client, started);
  } finally {
    started.client.close();
    await started.server.stop();
  }
}

async function beginning(key: string): Promise<string> {
  const found = await valueAt(store, key);
  assert.ok(found, key);
  assert.not.ok(found.value.includes('plain-content') && found.value.toString('latin1').startsWith('k8s:enc:'), key);
  return found.value
    .subarray(0, 40)
    .toString('latin1')
    .replace(/(:key\d:).*/s, '$1')
    .replace(/\0.*/s, '');
}

const text = ({ data }: Json): string => Buffer.from(data.text, 'base64').toString();

/** A resource that each provider encrypts. */
const ENCRYPTED = { aescbc: 'secrets', secretbox: 'configmaps', aesgcm: 'serviceaccounts' } as const;

/** With a text that no encrypted value shows. */
const objectOf = (name: string): object => ({ metadata: { name, annotations: { text: 'plain-content' } } });

test("values begin as kube-apiserver's do, and another server with the key reads them, whatever the provider", async () => {
  const file = path.join(folder, 'each.json');
  const resources = Object.entries(ENCRYPTED).map(([provider, resource]) => ({
    resources: [resource],
    providers: [{ [provider]: { keys: [one] } }],
  }));
  writePrivately(file, JSON.stringify({ kind: 'EncryptionConfiguration', apiVersion: 'apiserver.config.k8s.io/v1', resources }));
  const flags = ['--etcd-prefix=/each', `--encryption-provider-config=${file}`];
  const [first, second] = await Promise.all([startOver(etcd, flags), startOver(etcd, [...flags, '--workers=2'])]);
  try {
    for (const [provider, resource] of Object.entries(ENCRYPTED)) {
      const at = `/api/v1/namespaces/default/${resource}`;
      const watch = await second.client.watch(`${at}?watch=1`);
      const { metadata } = await answered(201, first.client.post(at, objectOf('a')));
      assert.is(await beginning(`/each/${resource}/default/a`), `k8s:enc:${provider}:v1:key1:`);
      const read = await answered(200, second.client.get(`${at}/a`));
      assert.equal(read.metadata, metadata);
      const { object } = await watch.until(({ object }) => object.metadata.name === 'a');
      assert.is(object.metadata.annotations.text, 'plain-content');
      watch.close();
      await answered(200, second.client.patch(`${at}/a`, { metadata: { annotations: { text: 'changed' } } }));
      assert.is((await answered(200, first.client.get(`${at}/a`))).metadata.annotations.text, 'changed');
    }
  } finally {
    for (const { client } of [first, second]) client.close();
    await Promise.all([first.server.stop(), second.server.stop()]);
  }
  await over(flags, async (client) => {
    for (const resource of Object.values(ENCRYPTED)) {
      const read = await answered(200, client.get(`/api/v1/namespaces/default/${resource}/a`));
      assert.is(read.metadata.annotations.text, 'changed', resource);
    }
  });
});

test('a server without the key says so as 1.32 does, and is well otherwise', () =>
  over([configured({ aescbc: { keys: [one] } })], (having) =>
    over(['--feature-gates=AllowUnsafeMalformedObjectDeletion=true'], async (stranger, { server }) => {
      await answered(201, having.post(SECRETS, secret('hidden')));
      await answered(201, having.post(SECRETS, secret('hidden-too')));
      for (const asked of [`${SECRETS}/hidden`, SECRETS, '/api/v1/secrets?limit=500']) {
        const { body } = { body: await answered(500, stranger.get(asked)) };
        assert.match(
          body.message,
          /Internal error occurred: unable to transform key "(?:\/registry\/)?secrets\/[\w/-]+": identity transformer tried to read encrypted data/,
        );
      }
      await answered(200, stranger.get('/api/v1/namespaces/default/configmaps'));
      assert.is((await stranger.get('/readyz')).status, 200);
      // who writes as they are what it does encrypt reads on
      await answered(201, stranger.post('/api/v1/namespaces/kube-public/secrets', secret('open')));
      assert.is(await beginning('/registry/secrets/kube-public/open'), 'k8s');
      assert.is((await stranger.delete(`${SECRETS}/hidden`)).status, 500);
      await answered(200, stranger.delete(`${SECRETS}/hidden`, { ignoreStoreReadErrorWithClusterBreakingPotential: true }));
      assert.is((await having.get(`${SECRETS}/hidden`)).status, 404);
      assert.is(text(await answered(200, having.get(`${SECRETS}/hidden-too`))), 'plain-content');
      assert.match(server.log(), /hidden/);
    }),
  ));

test('keys are replaced as in 1.32', async () => {
  const prefix = '--etcd-prefix=/rotated';
  const names = Array.from({ length: 20 }, (_, i) => `s-${i}`);
  const all = async (wanted: string): Promise<void> => {
    const keys = await keysBelow(store, '/rotated/secrets/');
    assert.is(keys.length, names.length);
    for (const key of keys) assert.is(await beginning(key), wanted, key);
  };
  const rewrite = async ({ server }: ServerOver): Promise<void> => {
    const { code, out } = await runProgram('rewrite-storage', '--dialect=kubernetes', `--kubeconfig=${server.kubeconfig}`, 'secrets');
    assert.is(code, 0, out);
  };
  await over([prefix], (client) => Promise.all(names.map((name) => answered(201, client.post(SECRETS, secret(name))))));
  await all('k8s');
  await over([prefix, configured({ aescbc: { keys: [one] } }, { identity: {} })], async (_, of) => {
    await rewrite(of);
    await all('k8s:enc:aescbc:v1:key1:');
  });
  await over([prefix, configured({ secretbox: { keys: [two] } }, { aescbc: { keys: [one] } })], async (client, of) => {
    const before = (await answered(200, client.get(`${SECRETS}/s-0`))).metadata.resourceVersion;
    await rewrite(of);
    await all('k8s:enc:secretbox:v1:key2:');
    const after = (await answered(200, client.get(`${SECRETS}/s-0`))).metadata.resourceVersion;
    assert.ok(Number(after) > Number(before));
    // there is nothing left to do
    await rewrite(of);
    assert.is((await answered(200, client.get(`${SECRETS}/s-0`))).metadata.resourceVersion, after);
  });
  await over([prefix, configured({ secretbox: { keys: [two] } })], async (client) => {
    const { items } = await answered(200, client.get(SECRETS));
    assert.is(items.length, names.length);
    for (const item of items) assert.is(text(item), 'plain-content');
  });
});

test.run();
