/** Encryption at rest: nothing of a secret is in the files, whatever is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../harness/client.ts';
import { encryptionConfiguration, encryptionKey, filesWith, reloads, writePrivately } from '../../harness/encryption.ts';
import { runProgram } from '../../harness/program.ts';
import { ServerStartError, startServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'encryption-'));
const test = suite('encryption at rest');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const SECRETS = '/api/v1/namespaces/default/secrets';
const one = encryptionKey('one', 1);

let places = 0;
const place = (): { directory: string; file: string } => {
  const directory = mkdtempSync(path.join(folder, `${++places}-`));
  return { directory, file: path.join(directory, 'encryption.json') };
};
/** Of the data directory. */
const dataWith = (directory: string, ...texts: readonly string[]): string[] => filesWith(path.join(directory, 'data'), ...texts);

const CONTENT = 'plain-content-of-a-secret';
const CHANGED = 'later-content-of-a-secret';
const LABEL = 'value-of-a-label';
const TYPE = 'type-of-a-secret';

const names = (body: { items: { metadata: { name: string } }[] }): string[] => body.items.map(({ metadata }) => metadata.name);

/** Three secrets, one of which has been changed, one deleted. */
async function writeSecrets(client: Client): Promise<void> {
  for (const name of ['a', 'b', 'c']) {
    const body = {
      metadata: { name, labels: { kept: name === 'b' ? 'otherwise' : LABEL } },
      type: name === 'b' ? 'Opaque' : TYPE,
      stringData: { text: CONTENT },
    };
    assert.ok((await client.post(SECRETS, body)).status < 300);
  }
  assert.is((await client.patch(`${SECRETS}/a`, { stringData: { text: CHANGED } })).status, 200);
  assert.is((await client.delete(`${SECRETS}/c`)).status, 200);
}

async function assertReadable(client: Client): Promise<void> {
  const { body, status } = await client.get(`${SECRETS}/a`);
  assert.is(status, 200);
  assert.is(Buffer.from(body.data.text, 'base64').toString(), CHANGED);
  assert.equal(names((await client.get(SECRETS)).body), ['a', 'b']);
  for (const selector of [`labelSelector=kept%3D${LABEL}`, `fieldSelector=type%3D${TYPE}`, `labelSelector=kept+in+(x,${LABEL})`]) {
    const found = (await client.get(`${SECRETS}?${selector}`)).body;
    assert.equal(names(found), ['a'], selector);
    assert.is(found.items[0].metadata.resourceVersion, body.metadata.resourceVersion);
  }
  assert.equal(names((await client.get(`${SECRETS}?labelSelector=kept%3Dnothing`)).body), []);
}

for (const [dialect, workers, provider] of [
  ['kubernetes', 1, 'secretbox'],
  ['cluster', 2, 'aesgcm'],
] as const)
  test(`what is encrypted is nowhere in the files, and is found all the same: ${provider}, ${workers} processes, ${dialect}`, async () => {
    const { directory, file } = place();
    writePrivately(file, encryptionConfiguration(dialect, ['secrets'], { [provider]: { keys: [one] } }));
    const flags = [`--workers=${workers}`, `--encryption-provider-config=${file}`];
    const server = await startServer({ dialect, directory, flags });
    const client = new Client(server);
    await writeSecrets(client);
    await client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' }, data: { text: 'seen by all' } });
    await assertReadable(client);
    // what is searched for by the index
    await sleep(1_500);
    await assertReadable(client);
    assert.equal(server.faults(), []);
    const { text: figures } = await client.get('/metrics');
    // three were created, one was changed, one deleted: under the provider and under its key
    for (const prefix of [`k8s:enc:${provider}:v1:`, 'one:'])
      assert.match(
        figures,
        `\napiserver_storage_transformation_operations_total{resource="secrets",status="OK",transformation_type="to_storage",transformer_prefix="${prefix}"} 5\n`,
      );
    assert.not.match(figures, 'resource="configmaps",status=');
    client.close();
    await server.kill();
    assert.equal(dataWith(directory, CONTENT, CHANGED, LABEL, TYPE), []);
    assert.ok(dataWith(directory, `k8s:enc:${provider}:v1:one:`).length > 0);
    assert.ok(dataWith(directory, 'seen by all').length > 0);

    const again = await startServer({ dialect, directory, flags });
    await assertReadable(new Client(again));
    assert.is(await again.stop(), 0);
    const check = await runProgram('check', `--data-dir=${path.join(directory, 'data')}`);
    assert.is(check.code, 0, check.out);

    // without its key
    const gate = '--feature-gates=AllowUnsafeMalformedObjectDeletion=true';
    const without = await startServer({ dialect, directory, flags: [`--workers=${workers}`, gate] });
    const stranger = new Client(without);
    for (const asked of [`${SECRETS}/a`, SECRETS, `${SECRETS}?labelSelector=kept%3D${LABEL}`]) {
      const { status, text: told } = await stranger.get(asked);
      assert.is(status, 500, asked);
      assert.match(told, /unable to transform key \\"secrets\/default\/a\\": identity transformer tried to read encrypted data/);
      assert.not.match(told, CHANGED);
    }
    assert.is((await stranger.get('/api/v1/namespaces/default/configmaps/a')).status, 200);
    assert.is((await stranger.delete(`${SECRETS}/a`)).status, 500);
    for (const name of ['a', 'b']) {
      const gone = await stranger.delete(`${SECRETS}/${name}`, { ignoreStoreReadErrorWithClusterBreakingPotential: true });
      assert.is(gone.status, 200, gone.text);
    }
    assert.equal(names((await stranger.get(SECRETS)).body), []);
    stranger.close();
    await without.stop();
  });

test('what is wrong with a configuration stops a start, shows no key, and keeps a server on the one that it has', async () => {
  const { directory, file } = place();
  const dialect = 'kubernetes';
  const bad = 'c2hvcnQtc2VjcmV0LWtleQ==';
  const wrong = encryptionConfiguration(dialect, ['secrets'], { secretbox: { keys: [{ name: 'k', secret: bad }] } });
  writePrivately(file, wrong);
  const flags = [`--encryption-provider-config=${file}`, '--encryption-provider-config-automatic-reload'];
  const failed = await startServer({ dialect, directory, flags }).catch((error) => error);
  assert.instance(failed, ServerStartError);
  assert.match(
    failed.output,
    'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
  );
  assert.not.match(failed.output, bad);
  const masked = JSON.parse(encryptionConfiguration(dialect, ['*.'], { identity: {} }));
  masked.resources.push({ resources: ['secrets'], providers: [{ identity: {} }] });
  writePrivately(file, JSON.stringify(masked));
  const hidden = await startServer({ dialect, directory, flags }).catch((error) => error);
  assert.match(hidden.output, 'resource "secrets" is masked by earlier rule "*."');
  const alone = await startServer({ dialect, directory, flags: [flags[1] as string] }).catch((error) => error);
  assert.match(alone.output, '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');

  rmSync(file);
  writeFileSync(file, encryptionConfiguration(dialect, ['*.*'], { aescbc: { keys: [one] } }, { identity: {} }), { mode: 0o644 });
  const server = await startServer({ dialect, directory, flags });
  assert.match(server.log(), /others than its owner may use it \(mode 644\)/);
  const client = new Client(server);
  await writeSecrets(client);
  writePrivately(file, wrong);
  for (let i = 0; i < 200 && !server.log().includes('is not used'); i++) await sleep(50);
  assert.match(server.log(), 'the new text of the file is not used');
  assert.not.match(server.log(), bad);
  const { text: figures } = await client.get('/metrics');
  assert.is(reloads(figures, 'failure'), 1);
  assert.match(figures, /^apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds\{.*status="failure"\} \d{10}/m);
  await assertReadable(client);
  client.close();
  await server.stop();
  assert.equal(dataWith(directory, CONTENT, CHANGED, LABEL, TYPE), []);
});

test.run();
