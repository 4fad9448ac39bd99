/** Servers inside of this process: several at a time, each on its own, with nothing left of them. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ApiError, type EmbeddedServer, type ServerOptions, startServer } from '../../runtime/embedded/start-server.ts';
import { TestSigner } from '../assembly/token-signer/test-signer.ts';
import { usedHeap } from '../harness/heap.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'embedded-test-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

// before any suite runs: they would begin while this waits
const shared = await startServer({ dialect: 'kubernetes' });

async function using<T>(options: ServerOptions, use: (server: EmbeddedServer) => Promise<T>): Promise<T> {
  const server = await startServer(options);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

const names = async ({ client }: EmbeddedServer, path: string): Promise<string[]> =>
  (await client.request('GET', path)).items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
const map = (name: string): object => ({ metadata: { name } });
const MAPS = '/api/v1/namespaces/default/configmaps';

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

const clients = suite('a client of an embedded server');
clients.after(() => shared.stop());
clients('is the administrator by the certificate', async () => {
  const { server, certificateAuthority: ca, clientCertificate: cert, clientKey: key } = shared.clientConfig;
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  get(new URL('/api/v1/nodes', server), { ca, cert, key, agent: false }, (answer) => resolve(answer.resume().statusCode)).on(
    'error',
    reject,
  );
  assert.is(await promise, 200);
});
const who = async (init: RequestInit): Promise<{ username: string; groups: string[] }> => {
  const body = JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' });
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) };
  const answer = await shared.client.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', { method: 'POST', body, headers });
  return ((await answer.json()) as { status: { userInfo: { username: string; groups: string[] } } }).status.userInfo;
};
clients('is the administrator by the token', async () => {
  const { username, groups } = await who({});
  assert.is(username, 'kubernetes-admin');
  assert.equal(groups, ['system:masters', 'system:authenticated']);
});
clients('may be another user', async () =>
  assert.is((await who({ headers: { 'impersonate-user': 'alice', 'impersonate-group': 'system:authenticated' } })).username, 'alice'),
);
clients('reads the configuration as libraries do', async () => {
  const config = new KubeConfig();
  config.loadFromString(shared.clientConfig.kubeconfig);
  const { items } = await config.makeApiClient(CoreV1Api).listNamespace();
  assert.ok(items.some(({ metadata }) => metadata?.name === 'kube-system'));
});
clients('hears why a request is refused', async () => {
  try {
    await shared.client.request('GET', `${MAPS}/none`);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ApiError);
    const { code, reason, message } = error as ApiError;
    assert.equal({ code, reason, message }, { code: 404, reason: 'NotFound', message: 'configmaps "none" not found' });
  }
});
clients('sees changes as they come, until it has seen enough', async () => {
  const enough = new AbortController();
  const watch = await shared.client.fetch(`${MAPS}?watch=1&fieldSelector=metadata.name=seen`, { signal: enough.signal });
  const events = (watch.body as ReadableStream<Uint8Array>).getReader();
  await shared.client.request('POST', MAPS, map('seen'));
  const { value } = await events.read();
  assert.is(JSON.parse(Buffer.from(value as Uint8Array).toString()).object.metadata.name, 'seen');
  enough.abort();
  const ended = await events.read().then(
    () => 'read on',
    (error: Error) => error.name,
  );
  assert.is(ended, 'AbortError');
});
clients('sends no body that its signal has given up, and takes no more of it', async () => {
  const reason = new Error('given up');
  const [leaving, begun, cancelled] = [new AbortController(), Promise.withResolvers<void>(), Promise.withResolvers<unknown>()];
  const pull = () => {
    begun.resolve();
    return new Promise<void>(() => {});
  };
  const body = new ReadableStream({ pull, cancel: cancelled.resolve }, { highWaterMark: 0 });
  const asked = shared.client.fetch(MAPS, { method: 'POST', body, duplex: 'half', signal: leaving.signal } as RequestInit);
  const refused = asked.catch((error: unknown) => error);
  await begun.promise;
  leaving.abort(reason);
  assert.is(await refused, reason);
  assert.is(await cancelled.promise, reason);
  for (const late of [new ReadableStream({ pull }), new ReadableStream({ pull: () => Promise.reject(new Error('no more')) })]) {
    const init = { method: 'POST', body: late, duplex: 'half', signal: leaving.signal } as RequestInit;
    assert.is(await shared.client.fetch(MAPS, init).catch((error: unknown) => error), reason);
  }
});
clients('sends a body that comes in pieces', async () => {
  const text = JSON.stringify(map('pieces'));
  const body = ReadableStream.from([text.slice(0, 9), text.slice(9)].map((piece) => Buffer.from(piece)));
  const headers = { 'content-type': 'application/json' };
  const answer = await shared.client.fetch(MAPS, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  assert.is(answer.status, 201);
  const broken = new ReadableStream({ pull: () => Promise.reject(new Error('no more')) });
  const refused = shared.client.fetch(MAPS, { method: 'POST', headers, body: broken, duplex: 'half' } as RequestInit);
  assert.is(await refused.catch(({ message }: Error) => message), 'no more');
});
clients('ends a watch by its signal, however long it has lasted', async () => {
  const enough = new AbortController();
  const watch = await shared.client.fetch(`${MAPS}?watch=1&fieldSelector=metadata.name=none`, { signal: enough.signal });
  // what only weak references keep is gone
  await sleep(0);
  usedHeap();
  const reason = new Error('given up');
  enough.abort(reason);
  assert.is(await watch.text().catch((error: unknown) => error), reason);
});
clients('patches and deletes', async () => {
  await shared.client.request('POST', MAPS, map('short'));
  const { data } = await shared.client.request('PATCH', `${MAPS}/short`, { data: { a: '1' } });
  assert.equal(data, { a: '1' });
  assert.is((await shared.client.request('DELETE', `${MAPS}/short`)).status, 'Success');
});
clients.run();

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
  ['a folder that is none', { store: { directory: '/proc/none' } }, /the data directory \/proc\/none cannot be used/],
];
/** What holds a process, without what ends with the turn of the event loop. */
const lasting = (): string[] => process.getActiveResourcesInfo().filter((type) => type !== 'Immediate');
for (const [name, given, message] of wrong)
  options(`is refused ${name}, and leaves nothing behind`, async () => {
    const before = lasting();
    const failure = await startServer(given).then(
      () => undefined,
      (error: Error) => error.message,
    );
    assert.match(failure ?? 'started', message);
    assert.equal(lasting(), before);
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

const forks = suite('a fork of a server');
forks('has what the server has, and its own from then on', () =>
  using({ dialect: 'kubernetes' }, async (origin) => {
    const { metadata } = await origin.client.request('POST', MAPS, map('before'));
    const fork = await origin.fork();
    try {
      const copied = await fork.client.request('GET', `${MAPS}/before`);
      assert.equal(copied.metadata, metadata);
      await origin.client.request('POST', MAPS, map('of-origin'));
      await fork.client.request('POST', MAPS, map('of-fork'));
      const own = async (server: EmbeddedServer) => (await names(server, MAPS)).filter((name) => name !== 'kube-root-ca.crt');
      assert.equal(await own(origin), ['before', 'of-origin']);
      assert.equal(await own(fork), ['before', 'of-fork']);
      assert.is.not(fork.url, origin.url);
      const stranger = await fork.client.fetch(MAPS, { headers: { authorization: `Bearer ${origin.clientConfig.token}` } });
      assert.is(stranger.status, 401);
    } finally {
      await fork.stop();
    }
    assert.is((await origin.client.fetch('/readyz')).status, 200);
  }),
);
forks('knows the tokens of the service accounts that it has', () =>
  using({ dialect: 'kubernetes' }, async (origin) => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await origin.client.request('POST', accounts, map('robot'));
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await origin.client.request('POST', `${accounts}/robot/token`, body);
    const headers = { authorization: `Bearer ${status.token}` };
    const fork = await origin.fork();
    try {
      assert.is((await fork.client.fetch('/version', { headers })).status, 200);
      // nobody else knows them: not by their keys, and not by their accounts
      await using({ dialect: 'kubernetes' }, async ({ client }) => assert.is((await client.fetch('/version', { headers })).status, 401));
    } finally {
      await fork.stop();
    }
  }),
);
forks('asks the same signer of tokens, which neither a store that is prepared nor a server that stops keeps', async () => {
  const signer = await new TestSigner(path.join(folder, 'signer.sock')).listen();
  const flags = {
    'feature-gates': { ExternalServiceAccountTokenSigner: 'true' },
    'service-account-signing-endpoint': signer.socket,
  };
  try {
    await using({ dialect: 'kubernetes', flags }, async (origin) => {
      assert.equal(signer.calls, { sign: 0, fetch: 1, metadata: 1 });
      await origin.client.request('POST', '/api/v1/namespaces/default/serviceaccounts', map('robot'));
      const answer = await origin.client.request('POST', '/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
      const headers = { authorization: `Bearer ${answer.status.token}` };
      const fork = await origin.fork();
      try {
        assert.is((await fork.client.fetch('/version', { headers })).status, 200);
        assert.equal(signer.calls, { sign: 1, fetch: 2, metadata: 2 });
      } finally {
        await fork.stop();
      }
    });
  } finally {
    signer.stop();
  }
});
forks('of a server over a folder has a folder of its own', () => {
  const [first, second] = ['origin', 'fork'].map((name) => ({ directory: path.join(folder, name) }));
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  const isKnown = async ({ client }: EmbeddedServer, authorization: string): Promise<boolean> =>
    (await client.fetch('/version', { headers: { authorization } })).status === 200;
  return using({ dialect: 'kubernetes', store: first }, async (origin) => {
    const { metadata } = await origin.client.request('POST', MAPS, map('before'));
    await origin.client.request('POST', accounts, map('robot'));
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await origin.client.request('POST', `${accounts}/robot/token`, body);
    const authorization = `Bearer ${status.token}`;
    const fork = await origin.fork({ store: second });
    try {
      assert.equal((await fork.client.request('GET', `${MAPS}/before`)).metadata, metadata);
      await origin.client.request('POST', MAPS, map('of-origin'));
      await fork.client.request('POST', MAPS, map('of-fork'));
      assert.ok(await isKnown(fork, authorization));
    } finally {
      await fork.stop();
    }
    await using({ dialect: 'kubernetes', store: second }, async (again) => {
      const kept = await names(again, MAPS);
      assert.equal([kept.includes('of-fork'), kept.includes('of-origin'), await isKnown(again, authorization)], [true, false, true]);
    });
    assert.not((await names(origin, MAPS)).includes('of-fork'));
  });
});
forks('that fails leaves nothing of the copy, and what was there before', async () => {
  const [missing, present, stored] = ['fork-missing', 'fork-present', 'fork-stored'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(present);
  writeFileSync(path.join(present, 'notes'), 'mine');
  await using({ store: { directory: stored } }, async () => {});
  const keysOf = () => readdirSync(path.join(stored, 'pki')).map((file) => [file, readFileSync(path.join(stored, 'pki', file), 'utf8')]);
  const keys = keysOf();
  await using({ store: { directory: path.join(folder, 'fork-origin') } }, async (origin) => {
    const port = Number(new URL(origin.url).port);
    for (const directory of [missing, present, stored]) assert.is(await failureOf(origin.fork({ store: { directory }, port })), 'Error');
  });
  assert.not(existsSync(missing));
  assert.equal(readdirSync(present), ['notes']);
  assert.equal(keysOf(), keys);
  // the folder is free again
  await using({ store: { directory: stored } }, async () => {});
});
forks('lives on without the server, and is forked itself', async () => {
  const origin = await startServer();
  await origin.client.request('POST', MAPS, map('one'));
  const fork = await origin.fork();
  await origin.stop();
  const second = await fork.fork();
  await fork.stop();
  assert.ok((await names(second, MAPS)).includes('one'));
  await second.stop();
});
const unforked: [name: string, message: RegExp, fork: () => Promise<unknown>][] = [
  [
    'a server that is stopped',
    /the server is stopped/,
    async () => {
      const server = await startServer();
      await server.stop();
      await server.fork();
    },
  ],
  [
    'a server over a folder, in memory',
    /is forked into another folder/,
    () => using({ store: { directory: path.join(folder, 'unforked') } }, (server) => server.fork()),
  ],
  [
    'a server in memory, in a folder',
    /is forked in memory/,
    () => using({}, (server) => server.fork({ store: { directory: path.join(folder, 'unforked') } })),
  ],
  [
    'a server over a folder, in its own folder',
    /is in use by/,
    () =>
      using({ store: { directory: path.join(folder, 'unforked') } }, (server) =>
        server.fork({ store: { directory: path.join(folder, 'unforked') } }),
      ),
  ],
  [
    'a server over a folder, in one that has a store',
    /is there already/,
    async () => {
      const store = { directory: path.join(folder, 'forked-before') };
      await using({ store }, async () => {});
      return using({ store: { directory: path.join(folder, 'unforked') } }, (server) => server.fork({ store }));
    },
  ],
];
for (const [name, message, fork] of unforked)
  forks(`is not made of ${name}`, () =>
    fork().then(
      () => assert.unreachable(),
      (error: Error) => assert.match(error.message, message),
    ),
  );
forks('of what every cluster has shares no namespace', async () => {
  const uid = ({ client }: EmbeddedServer) => client.request('GET', '/api/v1/namespaces/default').then(({ metadata }) => metadata.uid);
  const uids = await Promise.all([using({}, uid), using({}, uid)]);
  assert.is.not(uids[0], uids[1]);
});
forks.run();

/** The name of what a promise is rejected with. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: Error) => error.name,
  );

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
  for (let left = 100; left > 0 && process.getActiveResourcesInfo().includes('Timeout'); left--) await sleep(50);
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
