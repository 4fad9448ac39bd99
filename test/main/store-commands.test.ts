/** `cluster-apiserver check` and `recover`, over what servers have left. */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../harness/client.ts';
import { damageSecondWrite, leaveLog } from '../harness/left-log.ts';
import { programFile, projectRoot } from '../harness/programs.ts';
import { startServer, type TestServer } from '../harness/server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'store-commands-'));
const test = suite('commands for stores');
test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const WRITES = 40;
let copies = 0;

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly errors: string;
}

async function run(...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [programFile('cluster-apiserver'), ...args], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, out, errors };
}

const start = (directory: string, workers: number): Promise<TestServer> =>
  startServer({ dialect: 'kubernetes', directory, flags: [`--workers=${workers}`] });

interface Left {
  /** has the data directory in `data` */
  readonly directory: string;
  /** of the list when the server was killed */
  readonly version: string;
}

/** What a server leaves that is killed behind some writes. */
async function left(workers: number): Promise<Left> {
  const directory = path.join(folder, `left-by-${workers}`);
  mkdirSync(directory);
  const server = await start(directory, workers);
  const client = new Client(server);
  for (let i = 0; i < WRITES; i++) {
    const { status } = await client.post(CONFIGMAPS, { metadata: { name: `written-${i}` }, data: { text: `the value ${i}.` } });
    assert.is(status, 201);
  }
  const list = (await client.get(CONFIGMAPS)).body as { metadata: { resourceVersion: string } };
  client.close();
  await server.kill();
  if (workers === 1) await leaveLog(directory);
  return { directory, version: list.metadata.resourceVersion };
}

const dataOf = (directory: string): string => path.join(directory, 'data');

/** @returns a data directory with the same files */
function copyOf({ directory }: Left): string {
  const copy = path.join(folder, `copy-${++copies}`);
  cpSync(dataOf(directory), copy, { recursive: true });
  return copy;
}

function overwrite(file: string, what: string, by: string): void {
  const bytes = readFileSync(file);
  let count = 0;
  for (let at = bytes.indexOf(what); at >= 0; at = bytes.indexOf(what, at + 1), count++) bytes.write(by, at);
  assert.ok(count > 0, `${what} is not in ${file}`);
  writeFileSync(file, bytes);
}

test('the help of the server names all commands, each of which has one', async () => {
  const entry = readFileSync(path.join(projectRoot, 'runtime/main/cluster-apiserver.js'), 'utf8');
  const commands = [...entry.matchAll(/command === '([a-z-]+)'/g)].map(([, command]) => command as string);
  assert.ok(commands.length >= 4, commands.join());
  const { out } = await run('--help');
  for (const command of commands) {
    assert.match(out, command);
    assert.is((await run(command, '--help')).code, 0, command);
  }
});

test('check refuses flags that are wrong, and what is no data directory', async () => {
  const help = await run('check', '--help');
  assert.is(help.code, 0);
  assert.match(help.out, /^Usage: cluster-apiserver check \[FLAGS\]/);
  assert.match(help.out, '--data-dir TEXT');
  for (const [args, code, error] of [
    [['--data'], 2, 'unknown flag: --data'],
    [['now'], 2, 'unexpected argument "now"'],
    [['--data-dir=/nowhere/at/all'], 1, 'there is no data directory /nowhere/at/all; --data-dir names another'],
    [
      [`--data-dir=${folder}`],
      1,
      `there is no store in ${folder}: a server that is given --etcd-servers keeps everything in etcd, which has commands of its own`,
    ],
  ] as const) {
    const ended = await run('check', ...args);
    assert.is(ended.code, code, args.join());
    assert.is(ended.out, '');
    assert.match(ended.errors, `cluster-apiserver check: ${error}`);
  }
});

test('recover refuses flags that are wrong, and a folder that is there', async () => {
  const help = await run('recover', '--help');
  assert.is(help.code, 0);
  assert.match(help.out, '--to TEXT');
  for (const [args, code, error] of [
    [[`--data-dir=${folder}`], 2, '--to is needed: the new data directory, where there is nothing yet'],
    [[`--data-dir=${folder}`, `--to=${folder}/within`], 2, '--to is in the data directory: it is to be another one'],
    [[`--data-dir=${folder}`, `--to=${folder}/..within`], 2, '--to is in the data directory: it is to be another one'],
    [[`--data-dir=${folder}`, `--to=${folder}-new`, '--dialect=none'], 2, 'one of stored, cluster, kubernetes is expected'],
    [['--data-dir=/nowhere/at/all', `--to=${folder}-new`], 1, 'there is no data directory /nowhere/at/all'],
    [
      [`--data-dir=${folder}`, `--to=${folder}-new`],
      1,
      `there is no store in ${folder}: a server that is given --etcd-servers keeps everything in etcd, which has commands of its own`,
    ],
    [[`--data-dir=${folder}`, `--to=${projectRoot}`], 1, `there is something at ${projectRoot}; --to names a folder that is made`],
  ] as const) {
    const ended = await run('recover', ...args);
    assert.is(ended.code, code, args.join());
    assert.is(ended.out, '');
    assert.match(ended.errors, error);
  }
  assert.not.ok(existsSync(`${folder}-new`));
});

for (const workers of [1, 2]) {
  const who = workers === 1 ? 'one process' : `${workers} workers`;
  let store: Left;

  test(`${who}: what is left is whole, and is recovered whole`, async () => {
    store = await left(workers);
    const checked = await run('check', `--data-dir=${dataOf(store.directory)}`);
    assert.equal([checked.code, checked.out.split('\n').at(-2)], [0, 'nothing is damaged'], checked.out);
    assert.match(checked.errors, /^pages: ([\d,]+) of \1\nrows: ([\d,]+) of \2\n$/);
    const to = path.join(folder, `whole-${workers}`);
    const recovered = await run('recover', `--data-dir=${dataOf(store.directory)}`, `--to=${to}`);
    assert.is(recovered.code, 0, recovered.out + recovered.errors);
    assert.match(recovered.out, /^\d+ keys saved to .*; it begins at revision \d+000000, so that watches from before begin anew\n$/);
    assert.is((await run('check', `--data-dir=${to}`)).code, 0);
    for (const file of ['admin.conf', 'pki/ca.key', 'pki/service-account.key'])
      assert.equal(readFileSync(path.join(to, file)), readFileSync(path.join(dataOf(store.directory), file)), file);
  });

  test(`${who}: a damaged value is named, and all else is recovered and served, beyond what was given`, async () => {
    const from = copyOf(store);
    // what is in the log is in LMDB then
    await (await startServer({ dialect: 'kubernetes', directory: withData(from), flags: [`--workers=${workers}`] })).stop();
    const data = path.join(from, 'store', 'data.mdb');
    overwrite(data, 'the value 30.', 'X');
    const before = readFileSync(data);
    const checked = await run('check', `--data-dir=${from}`);
    assert.is(checked.code, 3);
    assert.match(checked.out, /data\.mdb is damaged: key configmaps\/default\/written-30 at revision \d+: its checksum is another one\n/);
    assert.match(checked.out, /1 damage was found; nothing was changed\. A backup .* cluster-apiserver recover saves what can be read\n$/);
    const holder = path.join(folder, `served-${workers}-${copies}`);
    mkdirSync(holder);
    const recovered = await run('recover', `--data-dir=${from}`, `--to=${dataOf(holder)}`);
    assert.is(recovered.code, 3);
    const isLost = /key configmaps\/default\/written-30 cannot be read at revision \d+, its latest, and is lost\n/.test(recovered.out);
    // the log of one process may still have it
    assert.ok(isLost || workers === 1, recovered.out);
    assert.ok(readFileSync(data).equals(before), 'what is damaged stays as it is');
    assert.equal(
      readdirSync(path.dirname(dataOf(holder))).filter((name) => name.endsWith('.part')),
      [],
    );
    await isServed(await start(holder, workers), store.version, isLost ? ['the value 30.'] : []);
  });

  test(`${who}: nothing is done while a server has the directory`, async () => {
    const directory = path.join(folder, `in-use-${workers}`);
    mkdirSync(directory);
    const server = await start(directory, workers);
    try {
      for (const args of [['check'], ['recover', `--to=${folder}/never`]]) {
        const ended = await run(...args, `--data-dir=${dataOf(directory)}`);
        assert.is(ended.code, 1);
        assert.match(ended.errors, new RegExp(`is in use by the process ${server.pid}`));
      }
    } finally {
      await server.stop();
    }
    assert.not.ok(existsSync(`${folder}/never`));
    assert.is((await run('check', `--data-dir=${dataOf(directory)}`)).code, 0);
  });
}

/** The folder that has the data directory as `data`. */
function withData(data: string): string {
  const directory = `${data}-of-a-server`;
  mkdirSync(directory);
  symlinkSync(data, dataOf(directory));
  return directory;
}

/** All but what is lost; whoever watches from before is told to begin anew, and new versions are beyond all that were given. */
async function isServed(server: TestServer, version: string, lost: readonly string[]): Promise<void> {
  const client = new Client(server);
  try {
    const list = (await client.get(CONFIGMAPS)).body as { items: { metadata: { name: string }; data: { text: string } }[] };
    const texts = list.items.filter(({ metadata }) => metadata.name.startsWith('written-')).map(({ data }) => data.text);
    const expected = Array.from({ length: WRITES }, (_, i) => `the value ${i}.`).filter((text) => !lost.includes(text));
    assert.equal(texts.sort(), expected.sort());
    const watch = await client.watch(`${CONFIGMAPS}?watch=1&resourceVersion=${version}`);
    const event = (await watch.next()) as { type: string; object: { code: number } };
    assert.equal([event.type, event.object.code], ['ERROR', 410]);
    watch.close();
    const { status, body } = await client.post(CONFIGMAPS, { metadata: { name: 'written-anew' } });
    assert.is(status, 201);
    assert.ok(Number(body.metadata.resourceVersion) > Number(version) + 1_000);
  } finally {
    client.close();
    await server.kill();
  }
}

test('what a damaged log has is told, and what it can give is recovered', async () => {
  const from = copyOf({ directory: path.join(folder, 'left-by-1'), version: '' });
  damageSecondWrite(path.join(from, 'store', 'ahead.log'));
  const checked = await run('check', `--data-dir=${from}`);
  assert.is(checked.code, 3);
  assert.match(checked.out, /ahead\.log is damaged at byte \d+, behind revision \d+: .* whole ones follow/);
  const to = path.join(folder, 'of-a-log');
  const recovered = await run('recover', `--data-dir=${from}`, `--to=${to}`);
  assert.is(recovered.code, 3);
  assert.match(recovered.out, /ahead\.log is damaged at byte \d+, behind revision \d+: .* whole ones follow/);
  assert.match(recovered.out, /^\d+ keys saved to /m);
  assert.is((await run('check', `--data-dir=${to}`)).code, 0);
});

test('a store that is missing is told', async () => {
  const from = copyOf({ directory: path.join(folder, 'left-by-1'), version: '' });
  rmSync(path.join(from, 'store'), { recursive: true });
  const checked = await run('check', `--data-dir=${from}`);
  assert.is(checked.code, 3);
  assert.match(checked.out, /data\.mdb is missing, where admin\.conf in .* is that of a server which had a store\n/);
  const recovered = await run('recover', `--data-dir=${from}`, `--to=${folder}/of-nothing`);
  assert.is(recovered.code, 1);
  assert.match(recovered.errors, /nothing can be read/);
});

test.run();
