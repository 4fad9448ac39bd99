/** Servers inside of this process: several at a time, each on its own, with nothing left of them. */
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, type ServerOptions, startServer } from '../../runtime/embedded/start-server.ts';
import { eventually } from '../harness/eventually.ts';
import { usedHeap } from '../harness/heap.ts';
import { MAPS, map, names, testFolder, using } from './servers.ts';

const folder = testFolder();

const together = suite('servers of one process');
together('have each their own objects and tokens', async () => {
  const servers = await Promise.all(['one', 'two', 'three'].map(() => startServer()));
  try {
    await Promise.all(servers.map(({ client }, index) => client.request('POST', MAPS, map(`of-${index}`))));
    for (const [index, server] of servers.entries())
      assert.equal(
        (await names(server, MAPS)).filter((name) => name.startsWith('of-')),
        [`of-${index}`],
      );
    const [first, second] = servers as [EmbeddedServer, EmbeddedServer];
    const stranger = await second.client.fetch(MAPS, { headers: { authorization: `Bearer ${first.clientConfig.token}` } });
    assert.is(stranger.status, 401);
    assert.is(first.clientConfig.certificateAuthority, second.clientConfig.certificateAuthority);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
});
together('speak their dialects', async () => {
  const namespaces = await Promise.all(
    (['cluster', 'kubernetes'] as const).map((dialect) => using({ dialect }, (server) => names(server, '/api/v1/namespaces'))),
  );
  assert.equal(
    namespaces.map((all) => all.filter((name) => name.endsWith('-system'))),
    [['cluster-system'], ['kube-system']],
  );
});
together('have what every cluster has, from the first request on', () =>
  using({}, async (server) => {
    assert.is((await server.client.fetch('/readyz')).status, 200);
    assert.ok((await names(server, '/apis/rbac.authorization.cluster.io/v1/clusterroles')).includes('cluster-admin'));
  }),
);
together.run();

const options = suite('an embedded server');
options('has the flags of the program', () =>
  using({ flags: { controllers: ['-*'], 'runtime-config': { 'batch/v1': false } } }, async (server) => {
    const groups = (await server.client.request('GET', '/apis')).groups.map(({ name }: { name: string }) => name);
    assert.not(groups.includes('batch'));
  }),
);
const wrong: [name: string, options: ServerOptions, message: RegExp][] = [
  [
    'a flag that nobody knows',
    { flags: { 'min-request-timeot': 5 } as object },
    /unknown flag: --min-request-timeot \(did you mean --min-request-timeout\?\)/,
  ],
  ['a flag with another value', { flags: { 'event-ttl': 'soon' } }, /invalid argument "soon" for "--event-ttl" flag/],
  [
    'a flag of the program alone',
    { flags: { workers: 2 } as object },
    /--workers is no flag of an embedded server: an embedded server is one process/,
  ],
  [
    'etcd as its store',
    { flags: { 'etcd-servers': ['http://127.0.0.1:2379'] } as object },
    /--etcd-servers is no flag of an embedded server: the option `store` says where objects are kept/,
  ],
  [
    'etcd as the store of a resource',
    { flags: { 'etcd-servers-overrides': ['/events#http://127.0.0.1:2379'] } as object },
    /--etcd-servers-overrides is no flag of an embedded server: the option `store` says where objects are kept/,
  ],
  ['controllers that nobody knows', { flags: { controllers: ['hub'] } }, /--controllers: "hub" is not in the list/],
  [
    'a folder that is none',
    { store: { directory: '/proc/none' } },
    /the data directory \/proc\/none cannot be used: .*; the option `store` chooses another$/,
  ],
  [
    'a flag that nobody knows, with an empty value',
    { flags: { 'feature-gate': {} } as object },
    /unknown flag: --feature-gate \(did you mean/,
  ],
  ['a flag with its dashes', { flags: { '--v': 1 } as object }, /unknown flag: "--v": members of `flags` are named without dashes/],
];
options('logs that nothing is encrypted in memory', async () => {
  const lines: string[] = [];
  await using({ flags: { 'encryption-provider-config': '/none' }, log: { write: (line) => lines.push(line) } }, async () => {});
  assert.match(lines.join(''), /--encryption-provider-config has no effect on a server in memory/);
});
options('logs what is odd about its files once', async () => {
  const file = path.join(folder, 'admission.yaml');
  writeFileSync(file, '{ apiVersion: apiserver.config.cluster.io/v1, kind: AdmissionConfiguration, plugins: [{ name: Absent }] }');
  const lines: string[] = [];
  await using({ flags: { 'admission-control-config-file': file }, log: { write: (line) => lines.push(line) } }, async () => {});
  assert.equal(
    lines.map((line) => JSON.parse(line).msg),
    ['--admission-control-config-file: no admission plugin is named "Absent"'],
  );
});
/** What holds a process, without what ends with the turn of the event loop. */
const lasting = (): string[] => process.getActiveResourcesInfo().filter((type) => type !== 'Immediate');
/** What is still so after files that are being read, such as those of modules, have been read. */
async function left(): Promise<string[]> {
  for (let looks = 0; looks < 1_000 && lasting().includes('FSReqCallback'); looks++) await sleep(1);
  return lasting();
}
for (const [name, given, message] of wrong)
  options(`is refused ${name}, and leaves nothing behind`, async () => {
    const before = await left();
    const failure = await startServer(given).then(
      () => undefined,
      (error: Error) => error.message,
    );
    assert.match(failure ?? 'started', message);
    assert.equal(await left(), before);
  });
options('is refused a port that is taken', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  await startServer({ port }).then(
    () => assert.unreachable(),
    (error: Error) => assert.match(error.message, /is in use by another program/),
  );
  await new Promise((resolve) => other.close(resolve));
});
options('writes its log where it is told to', async () => {
  const lines: string[] = [];
  await using({ flags: { v: 0, 'audit-log-path': '-' }, log: { write: (line) => lines.push(line) } }, async () => {});
  assert.equal(
    lines.map((line) => JSON.parse(line).msg),
    ['no audit policy file is given (--audit-policy-file): no events are recorded'],
  );
});
options('keeps its objects in a folder for the next one', async () => {
  const store = { directory: path.join(folder, 'kept') };
  await using({ store }, ({ client }) => client.request('POST', MAPS, map('kept')));
  await using({ store }, async (server) => assert.ok((await names(server, MAPS)).includes('kept')));
});
options('removes what a process that was killed has left in its folder, and nothing else', async () => {
  const store = { directory: path.join(folder, 'left') };
  await using({ store }, async () => {});
  const kept = readdirSync(store.directory);
  const copies = ['snapshot-4711', 'snapshot-4712.part'];
  for (const name of copies) {
    mkdirSync(path.join(store.directory, name));
    writeFileSync(path.join(store.directory, name, 'data.mdb'), 'left');
  }
  writeFileSync(path.join(store.directory, 'spool-0123456789abcdef'), 'left');
  writeFileSync(path.join(store.directory, 'snapshot-mine'), 'kept');
  await using({ store }, async () =>
    assert.equal(
      readdirSync(store.directory).filter((name) => /^(?:snapshot|spool)-/.test(name)),
      ['snapshot-mine'],
    ),
  );
  assert.equal(readdirSync(store.directory).sort(), [...kept, 'snapshot-mine'].sort());
});
options('has its folder alone, until it ends', async () => {
  const store = { directory: path.join(folder, 'alone') };
  await using({ store }, () =>
    startServer({ store }).then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, /is in use by the process/),
    ),
  );
  await using({ store }, async ({ client }) => assert.is((await client.fetch('/livez')).status, 200));
});
options.run();

const stopping = suite('a server that is stopped');
stopping('leaves no handle, and the process as it was', async () => {
  const state = () => ({
    active: process.getActiveResourcesInfo(),
    listeners: process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`),
    environment: { ...process.env },
    directory: process.cwd(),
    title: process.title,
    globals: Object.getOwnPropertyNames(globalThis),
    reflection: Object.getOwnPropertyNames(Reflect),
  });
  // timers of the tests before end by themselves
  await eventually('no timer is left', () => !process.getActiveResourcesInfo().includes('Timeout'));
  const before = state();
  const server = await startServer();
  await server.client.request('POST', MAPS, map('one'));
  await (await server.client.fetch('/metrics')).text();
  const watch = await server.client.fetch(`${MAPS}?watch=1`);
  await server.stop();
  assert.ok(typeof (await watch.text()) === 'string');
  assert.equal(state(), before);
});
stopping('answers nobody any more', async () => {
  const server = await startServer();
  const { client } = server;
  await server.stop();
  await client.fetch('/livez').then(
    () => assert.unreachable(),
    (error: NodeJS.ErrnoException) => assert.is(error.code, 'ECONNREFUSED'),
  );
});
stopping('may be stopped again, and at the end of a scope', async () => {
  const server = await startServer();
  assert.is(server.stop(), server.stop());
  await server[Symbol.asyncDispose]();
});
stopping('leaves nothing in memory, though somebody keeps it', async () => {
  const count = 20;
  const stopped = async () => {
    const server = await startServer();
    await server.client.request('POST', MAPS, map('one'));
    await server.stop();
    return server;
  };
  await stopped();
  const before = usedHeap();
  const kept: EmbeddedServer[] = [];
  for (let i = 0; i < count; i++) kept.push(await stopped());
  // one that runs takes ten times as much
  const each = (usedHeap() - before) / kept.length;
  assert.ok(each < 50 * 1024, `${Math.round(each / 1024)} KB`);
});
stopping('lets its process end by itself, which has loaded neither LMDB nor SQLite for servers in memory', async () => {
  const script = `
    import { startServer } from './runtime/embedded/start-server.ts';
    const servers = await Promise.all([startServer(), startServer({ dialect: 'kubernetes' })]);
    for (const { client } of servers) await client.request('POST', '${MAPS}', { metadata: { name: 'one' } });
    await Promise.all(servers.map((server) => server.stop()));
    const libraries = process.report.getReport().sharedObjects.filter((file) => file.endsWith('.node'));
    const native = process.moduleLoadList.filter((name) => name.includes('sqlite'));
    process.once('exit', () => console.log('ended', [...libraries, ...native].length));
  `;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  assert.equal({ stdout, stderr }, { stdout: 'ended 0\n', stderr: '' });
});
stopping.run();
