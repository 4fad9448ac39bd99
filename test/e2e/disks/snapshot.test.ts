/** Snapshots of a server that goes on, and servers of what was restored from them. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { programFile } from '../../harness/programs.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const test = suite('snapshots');
const MAPS = '/api/v1/namespaces/default/configmaps';
const map = (name: string, data: object = {}) => ({ metadata: { name }, data });
let folder: string;
let server: TestServer;
let admin: Client;
test.before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'snapshots-'));
  for (const name of ['one', 'two']) mkdirSync(path.join(folder, name));
  server = await startServer({ dialect: 'kubernetes', directory: path.join(folder, 'one'), flags: ['--controllers=-*'] });
  admin = new Client(server);
});
test.after(async () => {
  admin.close();
  await server.stop();
  rmSync(folder, { recursive: true });
});

interface Ended {
  readonly code: number | null;
  readonly said: string;
  readonly failed: string;
}

const PROGRAM = [process.execPath, programFile('cluster-apiserver'), 'snapshot'] as const;
const command = (...args: string[]): Promise<Ended> => run(...PROGRAM, ...args);
/** No file that it writes may become longer than 64 KiB. */
const limited = (...args: string[]): Promise<Ended> => run('sh', '-c', 'ulimit -f 128; exec "$@"', 'sh', ...PROGRAM, ...args);

async function run(program: string, ...args: string[]): Promise<Ended> {
  const child = spawn(program, args, { cwd: folder });
  let [said, failed] = ['', ''];
  child.stdout.on('data', (text) => (said += text));
  child.stderr.on('data', (text) => (failed += text));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, said, failed };
}
const file = (name: string) => path.join(folder, name);
const kubeconfig = () => `--kubeconfig=${server.kubeconfig}`;

test('are taken while the server writes, and have all that was written before', async () => {
  for (let i = 0; i < 50; i++) assert.is((await admin.post(MAPS, map(`before-${i}`, { i: `${i}` }))).status, 201);
  const changed = await admin.patch(`${MAPS}/before-0`, { data: { i: 'changed' } });
  const [taken] = await Promise.all([
    command('save', file('first'), kubeconfig()),
    ...Array.from({ length: 50 }, (_, i) => admin.post(MAPS, map(`meanwhile-${i}`))),
  ]);
  assert.is(taken.code, 0, taken.failed);
  assert.is(statSync(file('first')).mode & 0o777, 0o600);
  assert.not.ok(
    readdirSync(path.join(folder, 'one/data')).some((name) => name.startsWith('snapshot-')),
    'the copy is gone',
  );
  const { code, said } = await command('status', file('first'));
  assert.is(code, 0);
  const revision = Number(/all up to revision (\d+) of a store of the dialect kubernetes/.exec(said)?.[1]);
  assert.ok(revision >= Number(changed.body.metadata.resourceVersion), said);
});

test('are restored to a server that goes on with the same keys, and beyond all versions that were given', async () => {
  await admin.post(MAPS, map('after'));
  const newest = Number((await admin.get(MAPS)).body.metadata.resourceVersion);
  const [to, filesOf] = [path.join(folder, 'two/data'), path.join(folder, 'one/data')];
  const restored = await command('restore', file('first'), `--to=${to}`, `--files-of=${filesOf}`);
  assert.is(restored.code, 0, restored.failed);
  assert.not.ok(existsSync(path.join(to, 'snapshot')));
  const again = await startServer({ dialect: 'kubernetes', directory: path.join(folder, 'two'), flags: ['--controllers=-*'] });
  const client = new Client(again);
  try {
    const list = (await client.get(MAPS)).body;
    const names: string[] = list.items.map(({ metadata }: Json) => metadata.name);
    assert.equal(names.filter((name) => name.startsWith('before-')).length, 50);
    assert.not.ok(names.includes('after'));
    assert.ok(Number(list.metadata.resourceVersion) > newest + 1_000_000_000);
    const [old, now] = await Promise.all([admin.get(`${MAPS}/before-0`), client.get(`${MAPS}/before-0`)]);
    assert.equal(now.body, old.body, 'objects keep their versions');
    const watch = await client.get(`${MAPS}?watch=1&resourceVersion=${newest}`);
    assert.match(watch.text, /"code":410/);
    assert.is((await client.post(MAPS, map('goes-on'))).status, 201);
    for (const name of ['pki/ca.crt', 'pki/service-account.key'])
      assert.is(readFileSync(path.join(to, name), 'utf8'), readFileSync(path.join(filesOf, name), 'utf8'));
  } finally {
    client.close();
    await again.stop();
  }
});

test('are restored without the files of another server, which makes its own', async () => {
  const to = path.join(folder, 'three/data');
  assert.is((await command('restore', file('first'), `--to=${to}`, '--bump-revision=0')).code, 0);
  assert.equal(readdirSync(to), ['store']);
});

test('that are damaged are not restored, and say so', async () => {
  const bytes = readFileSync(file('first'));
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(file('changed'), bytes);
  writeFileSync(file('short'), bytes);
  truncateSync(file('short'), at);
  for (const [name, problem] of [
    ['changed', /its checksum is that of something else/],
    ['short', /it ends after \d+ of \d+ bytes/],
  ] as const) {
    const found = await command('status', file(name));
    assert.is(found.code, 1);
    assert.match(found.failed, problem);
    const { code, failed } = await command('restore', file(name), `--to=${file('none')}`);
    assert.is(code, 1);
    assert.match(failed, problem);
    assert.not.ok(existsSync(file('none')));
  }
});

test('that find no room say which file they cannot write, and leave nothing', async () => {
  const saving = await limited('save', file('limited'), kubeconfig());
  assert.is(saving.code, 1);
  assert.match(saving.failed, /snapshots-\w+\/limited cannot be written: it may not become so long \(EFBIG\)/);
  const restoring = await limited('restore', file('first'), `--to=${file('limited')}`);
  assert.is(restoring.code, 1);
  assert.match(restoring.failed, /limited\.part\/made\/snapshot\/data\.mdb cannot be written: it may not become so long \(EFBIG\)/);
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('limited')),
    [],
  );
});

test('are for administrators alone', async () => {
  const alice = new Client(server, server.tokens.alice);
  try {
    assert.is((await alice.get('/debug/store/snapshot')).status, 403);
    assert.is((await admin.post('/debug/store/snapshot', {})).status, 405);
  } finally {
    alice.close();
  }
});

test('are taken one at a time, and given up with their client', async () => {
  // enough that it does not fit into the buffers of the connection
  const long = 'x'.repeat(900_000);
  for (let i = 0; i < 20; i++) assert.is((await admin.post(MAPS, map(`long-${i}`, { long: `${i}${long}` }))).status, 201);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${server.tokens.admin}` };
    get(`${server.url}/debug/store/snapshot`, { ca: authority(server), headers, agent: false }, resolve).on('error', reject);
  });
  assert.equal([(await admin.get('/debug/store/snapshot')).status], [429]);
  answer.destroy();
  let status = 429;
  await eventually('another one is taken', async () => {
    ({ status } = await admin.get('/debug/store/snapshot'));
    return status !== 429;
  });
  assert.is(status, 200);
});

test('that several save in one file at once are saved once', async () => {
  for (const name of ['both', 'both-again']) {
    const all = await Promise.all(Array.from({ length: 4 }, () => command('save', file(name), kubeconfig())));
    assert.is(all.filter(({ code }) => code === 0).length, 1, JSON.stringify(all));
    for (const { code, failed } of all) if (code !== 0) assert.match(failed, /another process is making .*both|both.* is there already/);
    assert.is((await command('status', file(name))).code, 0, 'it is whole');
    assert.not.ok(existsSync(file(`${name}.part`)));
  }
});

test('that two restore to one folder at once are restored once', async () => {
  const to = file('once/data');
  const all = await Promise.all(Array.from({ length: 4 }, () => command('restore', file('first'), `--to=${to}`)));
  assert.is(all.filter(({ code }) => code === 0).length, 1, JSON.stringify(all));
  for (const { code, failed } of all) if (code !== 0) assert.match(failed, /another process is making .*once\/data|there is something at/);
  assert.equal(readdirSync(file('once')), ['data']);
  assert.equal(readdirSync(to), ['store']);
});

test('say what there is where that is asked', async () => {
  const { code, said, failed } = await command('--help');
  assert.equal([code, failed], [0, '']);
  assert.match(said, 'one of save, status and restore');
});

const refused: [name: string, args: string[], problem: RegExp, code: number][] = [
  ['a file that is there already', ['save', 'first'], /first is there already/, 1],
  ['two files', ['status', 'a', 'b'], /one FILE is needed/, 2],
  ['no folder to restore to', ['restore', 'first'], /--to is needed/, 2],
  [
    'a folder within that whose files it gets',
    ['restore', 'first', '--to=one/data/restored', '--files-of=one/data'],
    /--to is in the folder of --files-of/,
    2,
  ],
  ['a folder that is there', ['restore', 'first', '--to=one'], /there is something at one/, 1],
  [
    'more versions than there are',
    ['restore', 'first', '--to=many', '--bump-revision=9007199254740991'],
    /"--bump-revision" flag: 0 to 1000000000000000 is expected/,
    2,
  ],
  ['a file that is not there', ['status', 'nothing'], /nothing/, 1],
  ['no command', [], /one of save, status and restore is needed/, 2],
  ['a configuration that is not there', ['save', 'x', '--kubeconfig=nothing'], /nothing/, 1],
];
for (const [name, args, problem, code] of refused)
  test(`are refused for ${name}`, async () => {
    const found = await command(...args);
    assert.is(found.code, code);
    assert.match(found.failed, problem);
  });

test.run();
