/** What flags say of an aggregated server, and starts that they refuse. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { type EmbeddedServer, type ServerFlags, type ServerOptions, startServer } from '../../../runtime/embedded/start-server.ts';
import { lampsDefinition } from '../../harness/aggregated-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'delegation-test-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const delegating = await startServer({ dialect: 'kubernetes' });
const file = path.join(folder, 'cluster.conf');
writeFileSync(file, delegating.clientConfig.kubeconfig, { mode: 0o600 });
const nobody = path.join(folder, 'nobody.conf');
writeFileSync(nobody, delegating.clientConfig.kubeconfig.replace(/client-(?:certificate|key)-data: .*/g, ''), { mode: 0o600 });
const gone = path.join(folder, 'gone.conf');
writeFileSync(gone, delegating.clientConfig.kubeconfig.replace(/server: .*/, 'server: https://127.0.0.1:1'), { mode: 0o600 });

const definition = lampsDefinition(createIdentity(identityData, 'kubernetes').text) as { spec: { names: object; versions: object[] } };
const LAMP = { apiVersion: 'lights.example.com/v1', kind: 'Lamp' };
const FILES = { kubeconfig: file, 'authentication-kubeconfig': file, 'authorization-kubeconfig': file };

function options(flags: ServerFlags, rest: Partial<ServerOptions> = {}): ServerOptions {
  return {
    dialect: 'kubernetes',
    definitions: [definition],
    log: false,
    flags: { 'delegated-authentication': true, ...FILES, ...flags },
    ...rest,
  };
}

async function refused(given: ServerOptions): Promise<string> {
  const started = await startServer(given).catch((error: Error) => error);
  if (started instanceof Error) return started.message;
  await started.stop();
  throw new Error('it starts');
}

async function using(given: ServerOptions, use: (server: EmbeddedServer) => Promise<void>): Promise<void> {
  const server = await startServer(given);
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

const refusals = suite('a start as an aggregated server is refused');
const FLAGS: [name: string, flags: ServerFlags, message: string][] = [
  ['with tokens of a file', { 'token-auth-file': file }, '--delegated-authentication and --token-auth-file exclude each other'],
  [
    'with a mode of authorization',
    { 'authorization-mode': ['RBAC'] },
    '--delegated-authentication and --authorization-mode exclude each other',
  ],
  ['with an issuer of tokens', { 'oidc-issuer-url': 'https://a' }, '--delegated-authentication and --oidc-issuer-url exclude each other'],
  [
    'with a plugin of other servers',
    { 'enable-admission-plugins': ['LimitRanger'] },
    '--enable-admission-plugins: an aggregated server has no admission plugin "LimitRanger"',
  ],
  [
    'with a path that has a * within',
    { 'authorization-always-allow-paths': ['/a*b'] },
    '--authorization-always-allow-paths: only a * at the end is allowed in "/a*b"',
  ],
  ['with a file that is not there', { 'authorization-kubeconfig': '/none.conf' }, '--authorization-kubeconfig: /none.conf: '],
  [
    'outside of pods without a file',
    { kubeconfig: '', 'authentication-kubeconfig': '', 'authorization-kubeconfig': '' },
    '--kubeconfig names no file, and this runs in no pod: ',
  ],
  [
    'where it may not ask who its clients are',
    { 'authentication-kubeconfig': nobody },
    'the config map extension-apiserver-authentication cannot be read: ',
  ],
  [
    'where nobody says who its clients are',
    { 'authentication-kubeconfig': gone },
    'the config map extension-apiserver-authentication cannot be read: ',
  ],
];
for (const [name, flags, message] of FLAGS)
  refusals(name, async () => {
    const said = await refused(options(flags));
    assert.ok(said.startsWith(message), said);
  });
refusals('with nothing to serve', async () =>
  assert.match(await refused(options({}, { definitions: [] })), '--delegated-authentication: nothing is served'),
);
refusals('that is none, but has definitions', async () =>
  assert.match(await refused({ definitions: [definition], log: false }), '--served-definitions needs --delegated-authentication'),
);
refusals.run();

const starts = suite('an aggregated server');
starts('starts without knowing its clients where flags tolerate that, and is told when it does', async () => {
  const lines: string[] = [];
  const log = { write: (line: string) => void lines.push(line) };
  await using(
    options({ 'authentication-kubeconfig': gone, 'authentication-tolerate-lookup-failure': true }, { log }),
    async ({ client }) => {
      assert.is((await client.fetch('/healthz')).status, 200);
    },
  );
  assert.ok(
    lines.some((line) => line.includes('it is not known which client certificates count')),
    lines.join(''),
  );
});
starts('needs nobody who says which proxies there are where flags do', () => {
  const proxies = path.join(folder, 'proxies.crt');
  writeFileSync(proxies, delegating.clientConfig.certificateAuthority);
  return using(options({ 'authentication-kubeconfig': gone, 'requestheader-client-ca-file': proxies }), async ({ client }) =>
    assert.is((await client.fetch('/healthz')).status, 200),
  );
});
starts('asks nobody who its clients are where flags say so', () =>
  using(options({ 'authentication-kubeconfig': gone, 'authentication-skip-lookup': true }), async ({ client }) =>
    assert.is((await client.fetch('/apis/lights.example.com/v1/lamps')).status, 200),
  ),
);
starts('finds the other server by any one of the files, outside of pods', () =>
  using(options({ kubeconfig: '', 'authentication-kubeconfig': '' }), async ({ client }) => {
    const lamp = { ...LAMP, metadata: { name: 'one' }, spec: {} };
    assert.is((await client.request('POST', '/apis/lights.example.com/v1/namespaces/default/lamps', lamp)).spec.colour, 'White');
  }),
);
starts('serves groups that the schemas state, and those alone that are turned on', () =>
  using(options({ 'runtime-config': { 'batch/v1': true } }, { definitions: [] }), async ({ client }) => {
    const { groups } = await client.request('GET', '/apis');
    assert.equal(
      groups.map(({ name }: { name: string }) => name),
      ['batch'],
    );
    const job = {
      metadata: { name: 'one' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } },
    };
    assert.is((await client.request('POST', '/apis/batch/v1/namespaces/default/jobs', job)).spec.parallelism, 1);
    assert.is((await client.fetch('/api/v1/namespaces')).status, 404);
  }),
);
starts('has no object of its own, and is checked for what it makes alone', () =>
  using(options({}), async ({ client }) => {
    const checks = (await (await client.fetch('/readyz?verbose')).text()).match(/(?<=\[\+\])\S+/g);
    const started = ['start-apiserver-admission-initializer', 'generic-apiserver-start-informers'].map((name) => `poststarthook/${name}`);
    assert.equal(checks, ['ping', 'etcd', 'etcd-readiness', 'informer-sync', ...started, 'shutdown']);
    const { body } = await client
      .fetch('/apis/lights.example.com/v1/lamps')
      .then(async (answer) => ({ body: (await answer.json()) as { items: []; metadata: { resourceVersion: string } } }));
    assert.equal([body.items, body.metadata.resourceVersion], [[], '1']);
  }),
);
starts('is forked with its definitions', () =>
  using(options({}), async (server) => {
    const LAMPS = '/apis/lights.example.com/v1/namespaces/default/lamps';
    await server.client.request('POST', LAMPS, { ...LAMP, metadata: { name: 'one' } });
    const fork = await server.fork();
    try {
      assert.is((await fork.client.request('GET', `${LAMPS}/one`)).metadata.name, 'one');
      assert.is((await fork.client.request('GET', LAMPS)).items.length, 1);
    } finally {
      await fork.stop();
    }
  }),
);
starts('takes long bodies', () =>
  using(options({}), async ({ client }) => {
    const labels = { note: 'x'.repeat(1_000_000) };
    const long = await client.request('POST', '/apis/lights.example.com/v1/namespaces/default/lamps', {
      ...LAMP,
      metadata: { name: 'long', annotations: { a: 'x'.repeat(200_000) } },
      spec: {},
    });
    assert.is(long.metadata.name, 'long');
    const refused = await client.fetch('/apis/lights.example.com/v1/namespaces/nowhere/lamps', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...LAMP, metadata: { name: 'long' }, spec: { labels } }),
    });
    assert.is(refused.status, 404, await refused.text());
  }),
);
starts.after(() => delegating.stop());
starts.run();
