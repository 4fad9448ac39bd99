/** Encryption at rest: nothing of a secret is in the files, whatever is asked; keys come and go while clients write. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../runtime/contract/identity.ts';
import { Client } from '../harness/client.ts';
import { runProgram } from '../harness/program.ts';
import { ServerStartError, startServer, type TestServer } from '../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'encryption-'));
const test = suite('encryption at rest');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const SECRETS = '/api/v1/namespaces/default/secrets';
const DOMAIN: Readonly<Record<Dialect, string>> = { cluster: 'cluster.io', kubernetes: 'k8s.io' };
const key = (name: string, byte: number) => ({ name, secret: Buffer.alloc(32, byte).toString('base64') });
const [one, two] = [key('one', 1), key('two', 2)];

function configuration(
  server: Pick<TestServer, 'dialect'> | { dialect: Dialect },
  resources: readonly string[],
  ...providers: object[]
): string {
  return JSON.stringify({
    kind: 'EncryptionConfiguration',
    apiVersion: `apiserver.config.${DOMAIN[server.dialect]}/v1`,
    resources: [{ resources, providers }],
  });
}

let places = 0;
const place = (): { directory: string; file: string } => {
  const directory = mkdtempSync(path.join(folder, `${++places}-`));
  return { directory, file: path.join(directory, 'encryption.json') };
};
const write = (file: string, content: string): void => writeFileSync(file, content, { mode: 0o600 });

/** Files of the data directory that hold one of the texts, as they are or in base64. */
function filesWith(directory: string, ...texts: readonly string[]): string[] {
  const wanted = texts.flatMap((each) => [Buffer.from(each), Buffer.from(Buffer.from(each).toString('base64'))]);
  const all = readdirSync(path.join(directory, 'data'), { recursive: true, encoding: 'utf8' }).map((name) =>
    path.join(directory, 'data', name),
  );
  return all.filter((name) => statSync(name).isFile() && wanted.some((bytes) => readFileSync(name).includes(bytes)));
}

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
    write(file, configuration({ dialect }, ['secrets'], { [provider]: { keys: [one] } }));
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
    client.close();
    await server.kill();
    assert.equal(filesWith(directory, CONTENT, CHANGED, LABEL, TYPE), []);
    assert.ok(filesWith(directory, `k8s:enc:${provider}:v1:one:`).length > 0);
    assert.ok(filesWith(directory, 'seen by all').length > 0);

    const again = await startServer({ dialect, directory, flags });
    await assertReadable(new Client(again));
    assert.is(await again.stop(), 0);
    const check = await runProgram('check', `--data-dir=${path.join(directory, 'data')}`);
    assert.is(check.code, 0, check.out);

    // without its key
    const without = await startServer({ dialect, directory, flags: [`--workers=${workers}`] });
    const stranger = new Client(without);
    for (const asked of [`${SECRETS}/a`, SECRETS, `${SECRETS}?labelSelector=kept%3D${LABEL}`]) {
      const { status, text: told } = await stranger.get(asked);
      assert.is(status, 500, asked);
      assert.match(told, /unable to transform key \\"secrets\/default\/a\\": identity transformer tried to read encrypted data/);
      assert.not.match(told, CHANGED);
    }
    assert.is((await stranger.get('/api/v1/namespaces/default/configmaps/a')).status, 200);
    stranger.close();
    await without.stop();
  });

/** Resolves when every process has read the file again, so often in all. */
async function readAgain(server: TestServer, times: number): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (server.log().split('the file has been read again').length > times) return;
    await sleep(50);
  }
  throw new Error(`the file was not read again ${times} times:\n${server.log()}`);
}

/** Creates and changes secrets until it is told to stop. @returns those that are there, with what they hold */
async function load(server: TestServer, writer: number, going: { on: boolean }): Promise<Map<string, string>> {
  const client = new Client(server);
  const written = new Map<string, string>();
  for (let i = 0; going.on; i++) {
    const name = `w${writer}-${i % 20}`;
    const held = `${CONTENT}-${writer}-${i}`;
    const answer = written.has(name)
      ? await client.patch(`${SECRETS}/${name}`, { stringData: { text: held } })
      : await client.post(SECRETS, { metadata: { name, labels: { writer: String(writer) } }, stringData: { text: held } });
    assert.ok(answer.status < 300, answer.text);
    written.set(name, held);
  }
  client.close();
  return written;
}

async function assertHeld(client: Client, all: readonly Map<string, string>[]): Promise<void> {
  for (const [writer, written] of all.entries()) {
    const { body } = await client.get(`${SECRETS}?labelSelector=writer%3D${writer}`);
    const found = body.items.map((each: { metadata: { name: string }; data: { text: string } }) => [
      each.metadata.name,
      Buffer.from(each.data.text, 'base64').toString(),
    ]);
    assert.equal(new Map(found), new Map([...written].sort(([a], [b]) => (a < b ? -1 : 1))));
  }
}

for (const workers of [1, 2])
  test(`a key is replaced while clients write, by ${workers} processes`, async () => {
    const { directory, file } = place();
    const states = [[one], [one, two], [two, one], [two]].map((keys) =>
      configuration({ dialect: 'kubernetes' }, ['secrets'], { secretbox: { keys } }, { identity: {} }),
    );
    write(file, states[0] as string);
    const flags = [`--workers=${workers}`, `--encryption-provider-config=${file}`, '--encryption-provider-config-automatic-reload', '-v=1'];
    const server = await startServer({ dialect: 'kubernetes', directory, flags });
    const going = { on: true };
    const writers = [0, 1, 2].map((writer) => load(server, writer, going));
    await sleep(300);
    try {
      for (const step of [1, 2]) {
        write(file, states[step] as string);
        await readAgain(server, step * workers);
        await sleep(200);
      }
      const rewritten = await runProgram('rewrite-storage', `--kubeconfig=${server.kubeconfig}`, '--dialect=kubernetes', 'secrets');
      assert.is(rewritten.code, 0, rewritten.out);
      assert.match(rewritten.out, /secrets: \d+ objects? written anew of \d+ objects?/);
    } catch (error) {
      // nothing is left running, which the runner would wait for
      await server.kill();
      throw error;
    } finally {
      going.on = false;
    }
    const all = await Promise.all(writers);
    write(file, states[3] as string);
    await readAgain(server, 3 * workers);
    const client = new Client(server);
    await assertHeld(client, all);
    const again = await runProgram('rewrite-storage', `--kubeconfig=${server.kubeconfig}`, '--dialect=kubernetes', 'secrets');
    assert.match(again.out, /secrets: 0 objects written anew of \d+ objects/);
    assert.equal(server.faults(), []);
    client.close();
    await server.kill();
    const restarted = await startServer({ dialect: 'kubernetes', directory, flags });
    await assertHeld(new Client(restarted), all);
    assert.is(await restarted.stop(), 0);
  });

test('what is wrong with a configuration stops a start, shows no key, and keeps a server on the one that it has', async () => {
  const { directory, file } = place();
  const dialect = 'kubernetes';
  const bad = 'c2hvcnQtc2VjcmV0LWtleQ==';
  const wrong = configuration({ dialect }, ['secrets'], { secretbox: { keys: [{ name: 'k', secret: bad }] } });
  write(file, wrong);
  const flags = [`--encryption-provider-config=${file}`, '--encryption-provider-config-automatic-reload'];
  const failed = await startServer({ dialect, directory, flags }).catch((error) => error);
  assert.instance(failed, ServerStartError);
  assert.match(
    failed.output,
    'resources[0].providers[0].secretbox.keys[0].secret: Invalid value: "REDACTED": secret is not of the expected length, got 16, expected one of [32]',
  );
  assert.not.match(failed.output, bad);
  const masked = JSON.parse(configuration({ dialect }, ['*.'], { identity: {} }));
  masked.resources.push({ resources: ['secrets'], providers: [{ identity: {} }] });
  write(file, JSON.stringify(masked));
  const hidden = await startServer({ dialect, directory, flags }).catch((error) => error);
  assert.match(hidden.output, 'resource "secrets" is masked by earlier rule "*."');
  const alone = await startServer({ dialect, directory, flags: [flags[1] as string] }).catch((error) => error);
  assert.match(alone.output, '--encryption-provider-config-automatic-reload must be set with --encryption-provider-config');

  rmSync(file);
  writeFileSync(file, configuration({ dialect }, ['*.*'], { aescbc: { keys: [one] } }, { identity: {} }), { mode: 0o644 });
  const server = await startServer({ dialect, directory, flags });
  assert.match(server.log(), /others than its owner may use it \(mode 644\)/);
  const client = new Client(server);
  await writeSecrets(client);
  write(file, wrong);
  for (let i = 0; i < 200 && !server.log().includes('is not used'); i++) await sleep(50);
  assert.match(server.log(), 'the new text of the file is not used');
  assert.not.match(server.log(), bad);
  await assertReadable(client);
  client.close();
  await server.stop();
  assert.equal(filesWith(directory, CONTENT, CHANGED, LABEL, TYPE), []);
});

test.run();
