/**
 * A key is replaced while clients write and read: a new one comes, encrypts, what the old one has encrypted is written anew, and the old one goes. No request fails, no
 * secret is in any file at any time, and a snapshot from before needs the old key, and works with it.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client, type Json } from '../../harness/client.ts';
import { encryptionConfiguration, encryptionKey, filesWith, reloads, writePrivately } from '../../harness/encryption.ts';
import { runProgram } from '../../harness/program.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'key-rotation-'));
const test = suite('the rotation of a key');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const dialect = 'kubernetes';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CONTENT = 'plain-content-of-a-secret';
const LABEL = 'value-of-a-label';
const [one, two] = [encryptionKey('one', 1), encryptionKey('two', 2)];
const configuration = (...keys: readonly object[]): string =>
  encryptionConfiguration(dialect, ['secrets'], { secretbox: { keys } }, { identity: {} });

/** Who gets, lists and changes secrets is in the audit log, and not what they hold. */
const AUDIT = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }] }, { level: 'RequestResponse' }],
});

/** By names, what they hold. */
type Held = Map<string, string>;
const heldOf = ({ data }: Json): string => Buffer.from(data.text, 'base64').toString();
const heldBy = (items: readonly Json[]): Held => new Map(items.map((each) => [each.metadata.name, heldOf(each)]));
const sorted = (held: Held): Held => new Map([...held].sort(([a], [b]) => (a < b ? -1 : 1)));

/** What clients do until it is turned off. */
interface Load {
  on: boolean;
}

const SECRETS_OF_ONE = 12;

/** Creates, changes and deletes secrets. @returns those that are there then */
async function write(server: TestServer, writer: number, load: Load): Promise<Held> {
  const client = new Client(server);
  const written: Held = new Map();
  for (let i = 0; load.on; i++) {
    const name = `w${writer}-${i % SECRETS_OF_ONE}`;
    const text = `${CONTENT}-${writer}-${i}`;
    if (written.has(name) && i % 5 === 0) {
      assert.is((await client.delete(`${SECRETS}/${name}`)).status, 200);
      written.delete(name);
      continue;
    }
    const labels = { writer: String(writer), kept: LABEL };
    const { status, text: told } = written.has(name)
      ? await client.patch(`${SECRETS}/${name}`, { stringData: { text } })
      : await client.post(SECRETS, { metadata: { name, labels }, stringData: { text } });
    assert.ok(status < 300, told);
    written.set(name, text);
  }
  client.close();
  return written;
}

/** Gets, lists and searches what the writers write. @returns how often */
async function read(server: TestServer, load: Load): Promise<number> {
  const client = new Client(server);
  const asked = [
    SECRETS,
    `${SECRETS}?limit=7`,
    `${SECRETS}?labelSelector=kept%3D${LABEL}`,
    `${SECRETS}?fieldSelector=type%3DOpaque`,
    ...['w0-0', 'w1-1'].map((name) => `${SECRETS}/${name}`),
  ];
  let times = 0;
  for (; load.on; times++) {
    const { status, body, text } = await client.get(asked[times % asked.length] as string);
    // some are deleted, and made again
    assert.ok(status === 200 || (status === 404 && body.details.kind === 'secrets'), text);
    for (const item of body.items ?? (status === 200 ? [body] : [])) assert.match(heldOf(item), CONTENT);
  }
  client.close();
  return times;
}

/** Follows all changes from the beginning, and is told each in the order of its versions. @returns what is there then */
async function follow(server: TestServer, load: Load, until: () => string): Promise<Held> {
  const client = new Client(server);
  const watch = await client.watch(`${SECRETS}?watch=1`);
  const held: Held = new Map();
  let newest = 0;
  for await (const { type, object } of watch) {
    assert.ok(['ADDED', 'MODIFIED', 'DELETED'].includes(type), JSON.stringify(object));
    const version = Number(object.metadata.resourceVersion);
    if (newest > 0 && type !== 'ADDED') assert.ok(version > newest, `${version} behind ${newest}`);
    newest = Math.max(newest, version);
    if (type === 'DELETED') held.delete(object.metadata.name);
    else held.set(object.metadata.name, heldOf(object));
    if (!load.on && object.metadata.name === until()) break;
  }
  client.close();
  held.delete(until());
  return held;
}

/** Resolves when every process has read the file again, so often in all. */
async function readAgain(server: TestServer, times: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    if (server.log().split('the file has been read again').length > times) return;
    await sleep(50);
  }
  throw new Error(`the file was not read again ${times} times:\n${server.log()}`);
}

async function assertHeld(client: Client, held: Held, selector = `labelSelector=kept%3D${LABEL}`): Promise<void> {
  const { body, status, text } = await client.get(`${SECRETS}?${selector}`);
  assert.is(status, 200, text);
  assert.equal(heldBy(body.items), sorted(held));
}

/** What secrets hold is nowhere, and what is searched for is where requests are told alone. */
function assertHidden(directory: string): void {
  assert.equal(filesWith(directory, CONTENT), []);
  assert.equal(
    filesWith(directory, LABEL).map((file) => path.basename(file)),
    ['audit.log'],
  );
}

const rewrite = (server: TestServer) =>
  runProgram('rewrite-storage', `--kubeconfig=${server.kubeconfig}`, `--dialect=${dialect}`, 'secrets');

/** The new key comes, encrypts, what the old one has encrypted is written anew, and the old one goes: each once every process has it. */
async function rotate(server: TestServer, file: string, workers: number): Promise<void> {
  let times = 0;
  const use = async (...keys: readonly object[]): Promise<void> => {
    writePrivately(file, configuration(...keys));
    await readAgain(server, ++times * workers);
    await sleep(300);
  };
  await use(one, two);
  await use(two, one);
  const rewritten = await rewrite(server);
  assert.is(rewritten.code, 0, rewritten.out);
  assert.match(rewritten.out, /secrets: \d+ objects? written anew of \d+ objects?/);
  assertHidden(path.dirname(file));
  await use(two);
}

/** A file with the secrets that the old key has encrypted. */
interface Backup {
  readonly file: string;
  readonly held: Held;
}

async function takeBackup(server: TestServer, directory: string): Promise<Backup> {
  const file = path.join(directory, 'before.snapshot');
  const client = new Client(server);
  const held: Held = new Map();
  for (let i = 0; i < 5; i++) {
    held.set(`kept-${i}`, `${CONTENT}-kept-${i}`);
    const body = { metadata: { name: `kept-${i}`, labels: { backup: 'kept' } }, stringData: { text: `${CONTENT}-kept-${i}` } };
    assert.is((await client.post(SECRETS, body)).status, 201);
  }
  client.close();
  const saved = await runProgram('snapshot', 'save', file, `--kubeconfig=${server.kubeconfig}`);
  assert.is(saved.code, 0, saved.out);
  return { file, held };
}

/** A new data directory of the backup: it is not read without the old key, and is by both, until only the new one is needed. */
async function assertRestores({ file, held }: Backup, directory: string, flags: readonly string[]): Promise<void> {
  const to = path.join(directory, 'restored');
  mkdirSync(to);
  const restored = await runProgram(
    'snapshot',
    'restore',
    file,
    `--to=${path.join(to, 'data')}`,
    `--files-of=${path.join(directory, 'data')}`,
  );
  assert.is(restored.code, 0, restored.out);
  const config = path.join(to, 'encryption.json');
  const serve = async (keys: readonly object[], use: (server: TestServer, client: Client) => Promise<void>): Promise<void> => {
    writePrivately(config, configuration(...keys));
    const server = await startServer({ dialect, directory: to, flags: [...flags, `--encryption-provider-config=${config}`] });
    const client = new Client(server);
    try {
      await use(server, client);
    } finally {
      client.close();
      await server.stop();
    }
  };
  await serve([two], async (_, client) => {
    for (const asked of [`${SECRETS}/kept-0`, SECRETS, `${SECRETS}?labelSelector=backup%3Dkept`]) {
      const { status, text } = await client.get(asked);
      assert.is(status, 500, asked);
      assert.match(
        text,
        /unable to transform key \\"secrets\/default\/[a-z0-9-]+\\": no matching key was found for the provided Secretbox transformer/,
      );
      assert.not.match(text, CONTENT);
    }
    // all else is there
    assert.is((await client.get('/api/v1/namespaces/default')).status, 200);
  });
  await serve([two, one], async (server, client) => {
    await assertHeld(client, held, 'labelSelector=backup%3Dkept');
    const { code, out } = await rewrite(server);
    assert.is(code, 0, out);
    assert.match(out, /secrets: [1-9]\d* objects written anew/);
  });
  await serve([two], (_, client) => assertHeld(client, held, 'labelSelector=backup%3Dkept'));
  assert.equal(filesWith(to, CONTENT, LABEL), []);
}

for (const workers of [1, 2])
  test(`while clients write and read, by ${workers} processes`, async () => {
    const directory = mkdtempSync(path.join(folder, `${workers}-`));
    const [file, audit] = ['encryption.json', 'audit-policy.json'].map((name) => path.join(directory, name)) as [string, string];
    writePrivately(file, configuration(one));
    writePrivately(audit, AUDIT);
    const common = [`--workers=${workers}`, '--encryption-provider-config-automatic-reload', '-v=1'];
    const flags = [
      ...common,
      `--encryption-provider-config=${file}`,
      `--audit-policy-file=${audit}`,
      `--audit-log-path=${path.join(directory, 'audit.log')}`,
    ];
    const server = await startServer({ dialect, directory, flags });
    const load: Load = { on: true };
    const client = new Client(server);
    let [backup, written]: [Backup, Held] = [{ file: '', held: new Map() }, new Map()];
    let last = '';
    const writers = [0, 1, 2].map((writer) => write(server, writer, load));
    const readers = [0, 1].map(() => read(server, load));
    const follower = follow(server, load, () => last);
    // what fails first is told, behind which the others fail too
    for (const each of [...writers, ...readers, follower]) each.catch(() => {});
    try {
      await sleep(300);
      backup = await takeBackup(server, directory);
      await rotate(server, file, workers);
      load.on = false;
      written = new Map((await Promise.all(writers)).flatMap((each) => [...each]));
      for (const times of await Promise.all(readers)) assert.ok(times > 10, `${times} reads`);
      last = 'the-last';
      assert.is((await client.post(SECRETS, { metadata: { name: last }, stringData: { text: CONTENT } })).status, 201);
      assert.equal(sorted(await follower), sorted(new Map([...written, ...backup.held])));
      await assertHeld(client, written);
      const { text: figures } = await client.get('/metrics');
      assert.is(reloads(figures, 'success'), 3 * workers);
      assert.is(reloads(figures, 'failure'), 0);
      assert.match((await rewrite(server)).out, /secrets: 0 objects written anew of \d+ objects/);
      assert.equal(server.faults(), []);
    } finally {
      // nothing is left running, which the runner would wait for
      load.on = false;
      client.close();
      await server.kill();
    }
    assertHidden(directory);
    for (const key of ['one', 'two']) assert.ok(filesWith(directory, `k8s:enc:secretbox:v1:${key}:`).length > 0, key);

    const restarted = await startServer({ dialect, directory, flags });
    const again = new Client(restarted);
    try {
      await assertHeld(again, written);
    } finally {
      again.close();
      assert.is(await restarted.stop(), 0);
    }
    await assertRestores(backup, directory, common);
  });

test.run();
