/** Forks: servers over a copy of what another server has stored. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startServer } from '../../runtime/embedded/start-server.ts';
import { TestSigner } from '../assembly/token-signer/test-signer.ts';
import { MAPS, map, names, testFolder, using } from './servers.ts';

const folder = testFolder();

/** The name of what a promise is rejected with. */
const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: Error) => error.name,
  );

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
