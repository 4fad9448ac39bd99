/** Configurations beyond the table: YAML, merging, paths, what is no configuration, and clients that they make. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import {
  ConfigurationError,
  connect,
  createClient,
  findConnection,
  inClusterConnection,
  isInCluster,
  isUnauthorized,
} from '../../../generated/client/index.ts';
import { identity as identityData } from '../../../generated/identity.ts';
import { EmptyConfiguration } from '../../../runtime/client/configuration/configuration.ts';
import { readConfiguration } from '../../../runtime/client/configuration/configuration-object.ts';
import { connectionOf } from '../../../runtime/client/configuration/connection.ts';
import { defaultLoadingRules, loadConfiguration } from '../../../runtime/client/configuration/loading-rules.ts';
import { resolveConfiguration } from '../../../runtime/client/configuration/resolve.ts';
import { TokenFile } from '../../../runtime/client/configuration/token-file.ts';
import { writeConfiguration } from '../../../runtime/client/configuration/write.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import { startServer } from '../../../runtime/embedded/start-server.ts';

const [kubernetes, cluster] = (['kubernetes', 'cluster'] as const).map((dialect) => createIdentity(identityData, dialect)) as [
  ReturnType<typeof createIdentity>,
  ReturnType<typeof createIdentity>,
];
const folder = mkdtempSync(path.join(tmpdir(), 'client-configuration-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text = '', mode = 0o600): string => {
  const target = path.join(folder, name);
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, text, { mode });
  return target;
};

// before any suite runs: they would begin while this waits
const server = await startServer({ dialect: 'kubernetes' });
const [OTHER_CERTIFICATE, OTHER_KEY] = await otherCertificate();
/** Of an authority that the server does not know. */
async function otherCertificate(): Promise<[certificate: string, key: string]> {
  const { ensureCertificates } = await import('../../../runtime/server/certificates.ts');
  const { administrator } = await ensureCertificates({ folder: path.join(folder, 'other'), names: ['localhost'], administrator: 'other' });
  return [administrator.certificate, administrator.key];
}

const files = suite('files of a configuration');
files('are those of the environment, or that of the user, by the names of the dialect', () => {
  const home = { HOME: '/home/me' };
  assert.equal(defaultLoadingRules(kubernetes, '', home).precedence, ['/home/me/.kube/config']);
  assert.equal(defaultLoadingRules(cluster, '', home).precedence, ['/home/me/.cluster/config']);
  assert.equal(defaultLoadingRules(cluster, '', { CLUSTERCONFIG: '/a:/b:/a', KUBECONFIG: '/c' }).precedence, ['/a', '/b']);
  assert.equal(defaultLoadingRules(kubernetes, '', home).migrations, { '/home/me/.kube/config': '/home/me/.kube/.kubeconfig' });
});
files('may be YAML of any form', async () => {
  const yaml = file(
    'forms/config',
    `# a comment
apiVersion: v1
kind: Config
clusters:
  - { name: c, cluster: { server: "https://a.example", extensions: [ { name: e, extension: { a: [ 1, yes ] } } ] } }
users:
- name: &user me
  user:
    token: >-
      some
      token
contexts:
- context: {cluster: c, user: *user, namespace: 'n'}
  name: x
current-context: x
preferences: {colors: true}
`,
  );
  const configuration = await loadConfiguration({ explicitPath: yaml, precedence: [] });
  const { host, bearerToken } = resolveConfiguration(configuration, { identity: kubernetes });
  assert.equal([host, bearerToken, configuration.preferences.colors], ['https://a.example', 'some token', true]);
  assert.equal(readConfiguration(JSON.parse(JSON.stringify({ clusters: [] }))).clusters.size, 0);
  const again = file('forms/again', writeConfiguration(configuration));
  const same = await loadConfiguration({ explicitPath: again, precedence: [] });
  assert.equal(
    [...same.users].map(([name, { token }]) => [name, token]),
    [['me', 'some token']],
  );
});
files('say paths from their own folders', async () => {
  const one = file(
    'one/config',
    JSON.stringify({ users: [{ name: 'a', user: { tokenFile: 'token', exec: { command: './bin/x', apiVersion: 'v' } } }] }),
  );
  const two = file(
    'two/config',
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 's', 'certificate-authority': '../ca.crt' } }],
      users: [{ name: 'b', user: { exec: { command: 'x', apiVersion: 'v' }, 'client-key': '/abs' } }],
    }),
  );
  const { users, clusters } = await loadConfiguration({ precedence: [one, two] });
  assert.equal(
    [
      users.get('a')?.tokenFile,
      users.get('a')?.exec?.command,
      users.get('b')?.exec?.command,
      users.get('b')?.clientKey,
      clusters.get('c')?.certificateAuthority,
    ],
    [path.join(folder, 'one/token'), path.join(folder, 'one/bin/x'), 'x', '/abs', path.join(folder, 'ca.crt')],
  );
});
files('pipes and devices in the place of credentials are told, and never waited for', async () => {
  const [pipe, device] = [path.join(folder, 'pipe'), '/dev/zero'];
  execFileSync('mkfifo', [pipe]);
  for (const odd of [pipe, device]) {
    const told = new RegExp(`read ${odd}: it is not a regular file`);
    const found = (cluster: object, user: object) => {
      const text = JSON.stringify({
        clusters: [{ name: 'c', cluster: { server: 'https://a.example', ...cluster } }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      });
      return findConnection(kubernetes, { file: file('odd/config', text) });
    };
    const certificate = file('odd/certificate', OTHER_CERTIFICATE);
    for (const [cluster, user] of [
      [{ 'certificate-authority': odd }, {}],
      [{}, { 'client-certificate': odd, 'client-key': odd }],
      [{}, { 'client-certificate': certificate, 'client-key': odd }],
      [{}, { tokenFile: odd }],
    ] as const) {
      const error = await found(cluster, user).catch((reason) => reason);
      assert.instance(error, ConfigurationError);
      assert.match(error.message, told);
    }
    assert.throws(() => new TokenFile(odd).get(), told);
  }
  const endless = await loadConfiguration({ explicitPath: device, precedence: [] }).catch((reason) => reason);
  assert.match(endless.message, /error loading config file "\/dev\/zero": read \/dev\/zero: it has more than 67108864 bytes/);
});
files('what another program writes to a pipe is a configuration too', async () => {
  const pipe = path.join(folder, 'written-pipe');
  execFileSync('mkfifo', [pipe]);
  const loaded = loadConfiguration({ explicitPath: pipe, precedence: [] });
  await writeFile(pipe, JSON.stringify({ users: [{ name: 'me', user: { token: 'some' } }] }));
  assert.is((await loaded).users.get('me')?.token, 'some');
});
const wrong: [name: string, text: string, message: RegExp][] = [
  ['another kind', '{"kind":"Pod","apiVersion":"v1"}', /no kind "Pod" is registered for version "v1"/],
  ['a list', '- a', /the configuration is no object/],
  ['a token that is a number', 'users:\n- name: a\n  user: {token: 5}', /users\[0\]\.user\.token is no text/],
  ['users that are no list', 'users: {}', /users is no list/],
  ['a flag that is a text', 'clusters:\n- name: a\n  cluster: {insecure-skip-tls-verify: "yes"}', /insecure-skip-tls-verify is no boolean/],
  [
    'data that are no base64',
    'clusters:\n- name: a\n  cluster: {certificate-authority-data: "%"}',
    /certificate-authority-data is no base64/,
  ],
  ['YAML that is none', 'a: [', /error converting YAML to JSON/],
];
for (const [name, text, message] of wrong)
  files(`are refused with ${name}`, async () => {
    const target = file('wrong/config', text);
    const error = await loadConfiguration({ explicitPath: target, precedence: [] }).catch((thrown: unknown) => thrown);
    assert.instance(error, ConfigurationError);
    assert.match((error as Error).message, message);
    assert.ok((error as Error).message.startsWith(`error loading config file "${target}": `));
  });

const tokens = suite('tokens in files');
tokens('are read again after some time, and kept while the file cannot be read', () => {
  const target = file('tokens/token', ' one\n');
  let now = 0;
  const token = new TokenFile(target, () => now);
  assert.is(token.get(), 'one');
  writeFileSync(target, 'two');
  assert.is(token.get(), 'one');
  now = 60_000;
  assert.is(token.get(), 'two');
  rmSync(target);
  now = 120_000;
  assert.is(token.get(), 'two');
  writeFileSync(target, 'three');
  assert.is(token.get(), 'three');
  writeFileSync(target, 'four');
  assert.is(token.get(), 'three');
  token.expire();
  assert.is(token.get(), 'four');
});
tokens('have to be there at first', () => {
  assert.throws(
    () => new TokenFile('/nowhere/token').get(),
    /failed to read token file "\/nowhere\/token": open \/nowhere\/token: no such file or directory/,
  );
  assert.throws(() => new TokenFile(file('tokens/empty', '\n')).get(), /read empty token from file/);
});

const { certificateAuthority, clientCertificate, clientKey, token } = server.clientConfig;
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const config = (user: object, clusterMembers: object = {}, context: object = {}): string =>
  JSON.stringify({
    clusters: [
      { name: 'c', cluster: { server: server.url, 'certificate-authority-data': base64(certificateAuthority), ...clusterMembers } },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', ...context } }],
    'current-context': 'x',
  });
let configs = 0;
async function asks(user: object, clusterMembers?: object): Promise<string> {
  const client = await connect({ dialect: 'kubernetes', file: file(`configs/${configs++}`, config(user, clusterMembers)) });
  try {
    return (await client.resource(namespaces).get('default')).metadata.name;
  } finally {
    client.close();
  }
}

const clients = suite('clients of a configuration');
clients('take the kubeconfig of a server', async () => {
  const client = await connect({ dialect: 'kubernetes', file: file('configs/own', server.clientConfig.kubeconfig) });
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default');
  client.close();
});
clients('have tokens and certificates, of the configuration and of files', async () => {
  assert.is(await asks({ token }), 'default');
  assert.is(await asks({ tokenFile: file('credentials/token', token) }), 'default');
  assert.is(await asks({ 'client-certificate-data': base64(clientCertificate), 'client-key-data': base64(clientKey) }), 'default');
  const [cert, key] = [file('credentials/cert', clientCertificate), file('credentials/key', clientKey)];
  assert.is(await asks({ 'client-certificate': cert, 'client-key': key }), 'default');
  assert.is(
    await asks(
      { token },
      { 'certificate-authority-data': undefined, 'certificate-authority': file('credentials/ca', certificateAuthority) },
    ),
    'default',
  );
  assert.is(await asks({ token }, { 'certificate-authority-data': undefined, 'insecure-skip-tls-verify': true }), 'default');
});
for (const [authority, problem] of [
  ['nothing', 'unable to parse bytes as PEM block'],
  [clientKey, 'no valid certificate authority data seen'],
  ['-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n', 'failed to parse certificate: x509: malformed certificate'],
] as const)
  clients(`say that an authority is none: ${JSON.stringify(authority).slice(0, 60)}`, async () => {
    const error = await asks({ token }, { 'certificate-authority-data': base64(authority) }).catch((thrown: unknown) => thrown);
    assert.instance(error, ConfigurationError);
    assert.is((error as Error).message, `unable to load root certificates: ${problem}`);
  });
clients('trust the authorities beside which there is something else', async () => {
  const malformed = '-----BEGIN CERTIFICATE-----\nYQ==\n-----END CERTIFICATE-----\n';
  for (const authority of [
    `${clientKey}\n${certificateAuthority}`,
    `${malformed}${certificateAuthority}`,
    `text\n${certificateAuthority}text`,
  ])
    assert.is(await asks({ token }, { 'certificate-authority-data': base64(authority) }), 'default');
});
clients('take the token of a file once it is another one than that which the server refused', async () => {
  const target = file('credentials/renewed', 'old');
  const client = await connect({ dialect: 'kubernetes', file: file(`configs/${configs++}`, config({ tokenFile: target })) });
  const get = () => client.resource(namespaces).get('default');
  assert.ok(isUnauthorized(await get().catch((error: unknown) => error)));
  writeFileSync(target, `${token}\n`);
  assert.equal((await Promise.all([get(), get(), get()])).length, 3);
  client.close();
});
clients('take the token of the configuration where that of the file cannot be read', async () => {
  assert.is(await asks({ token, tokenFile: file('credentials/beside', '') }), 'default');
  assert.is(await asks({ token, tokenFile: path.join(folder, 'credentials/nowhere') }), 'default');
});
clients('find the server by the environment where no configuration names one', async () => {
  const none = { precedence: [path.join(folder, 'none')] };
  process.env.KUBERNETES_MASTER = 'https://master.example';
  try {
    assert.is((await findConnection(kubernetes, { rules: none })).connection.server, 'https://master.example');
    const named = file('configs/master', config({ token }));
    assert.is((await findConnection(kubernetes, { file: named })).connection.server, server.url);
    assert.instance(await findConnection(cluster, { rules: none }).catch((thrown: unknown) => thrown), EmptyConfiguration);
  } finally {
    delete process.env.KUBERNETES_MASTER;
  }
});
clients('know the namespace of their context', async () => {
  const options = { file: file('configs/namespace', config({ token }, {}, { namespace: 'n' })) };
  assert.is((await findConnection(kubernetes, options)).namespace, 'n');
  assert.is((await findConnection(kubernetes, { ...options, overrides: { context: { namespace: 'm' } } })).namespace, 'm');
});
clients('take the rights of others', async () => {
  const error = await asks({ token, as: 'nobody', 'as-groups': ['none'] }).catch((thrown: Error) => thrown.message);
  assert.match(String(error), /User "nobody" cannot get resource "namespaces"/);
});
const refused: [name: string, user: object, cluster: object, message: RegExp][] = [
  ['two ways of trust', { token }, { 'insecure-skip-tls-verify': true }, /root certificates file with the insecure flag is not allowed/],
  ['a file with no token', { tokenFile: file('credentials/empty', '') }, {}, /read empty token from file ".*credentials\/empty"/],
  ['a provider', { 'auth-provider': { name: 'oidc' } }, {}, /no Auth Provider found for name "oidc"/],
  [
    'a plugin of an older version',
    { exec: { command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' } },
    {},
    /exec plugin: invalid apiVersion/,
  ],
  [
    'two ways of authentication',
    { token, username: 'me' },
    {},
    /more than one authentication method found for u; found \[token basicAuth\]/,
  ],
];
for (const [name, user, clusterMembers, message] of refused)
  clients(`are refused ${name}`, async () => {
    const error = await asks(user, clusterMembers).catch((thrown: unknown) => thrown);
    assert.instance(error, ConfigurationError);
    assert.match((error as Error).message, message);
  });
clients('make new connections for a new certificate', async () => {
  const [cert, key] = [file('renewed/cert', clientCertificate), file('renewed/key', clientKey)];
  const resolved = resolveConfiguration(readConfiguration(JSON.parse(config({ 'client-certificate': cert, 'client-key': key }))), {
    identity: kubernetes,
  });
  const client = createClient(connectionOf(resolved, { identity: kubernetes }), { dialect: 'kubernetes' });
  const name = async () => (await client.resource(namespaces).get('default')).metadata.name;
  assert.is(await name(), 'default');
  // of another authority: the server does not know it
  for (const [target, text] of [
    [cert, OTHER_CERTIFICATE],
    [key, OTHER_KEY],
  ] as const) {
    writeFileSync(`${target}.new`, text);
    renameSync(`${target}.new`, target);
    utimesSync(target, new Date(), new Date(0));
  }
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  assert.ok(isUnauthorized(await name().catch((error: unknown) => error)));
  client.close();
});
clients('say that there is nothing', async () => {
  const error = await findConnection(kubernetes, { rules: { precedence: [path.join(folder, 'none')] } }).catch((thrown: unknown) => thrown);
  assert.instance(error, EmptyConfiguration);
});
clients.after(async () => {
  await server.stop();
});

const plugins = suite('plugins that get credentials');
/** A program that prints the token in `answer`, counts its runs, and asks whether the server knows what it has been told. */
function plugin(name: string, answer: object): { exec: object; runs: () => number; answer: (next: object) => void } {
  const [output, log] = [file(`plugins/${name}.out`), file(`plugins/${name}.log`)];
  const script = file(`plugins/${name}`, `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> '${log}'\ncat '${output}'\n`, 0o700);
  const write = (status: object): void =>
    writeFileSync(output, JSON.stringify({ kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status }));
  write(answer);
  const exec = { command: script, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' };
  return { exec, runs: () => readFileSync(log, 'utf8').split('\n').length - 1, answer: write };
}
async function clientOf(exec: object, members: object = {}) {
  return connect({ dialect: 'kubernetes', file: file(`configs/${configs++}`, config({ exec }, members)) });
}
plugins('are asked once for many requests, and again where the server refuses what they gave', async () => {
  const { exec, runs, answer } = plugin('kept', { token: 'wrong' });
  const client = await clientOf(exec);
  const get = () => client.resource(namespaces).get('default');
  assert.ok(isUnauthorized(await get().catch((error: unknown) => error)));
  assert.is(runs(), 2);
  answer({ token });
  await Promise.all(Array.from({ length: 10 }, get));
  const before = runs();
  await Promise.all(Array.from({ length: 10 }, get));
  assert.is(runs(), before);
  assert.ok(before <= 4, `${before} runs`);
  client.close();
});
plugins('are waited for no longer than whoever asks waits', async () => {
  const command = file('plugins/waiting', '#!/bin/sh\nexec sleep 3\n', 0o700);
  const client = await clientOf({ command, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' });
  const began = performance.now();
  const error = await client
    .resource(namespaces)
    .get('default', { signal: AbortSignal.timeout(200) })
    .catch((thrown: unknown) => thrown);
  assert.is((error as Error).name, 'TimeoutError');
  assert.ok(performance.now() - began < 2_000);
  client.close();
});
plugins('are asked once for all clients of one configuration', async () => {
  const { exec, runs } = plugin('shared', { token });
  const all = await Promise.all([clientOf(exec), clientOf(exec), clientOf({ ...exec, args: ['other'] })]);
  await Promise.all(all.map((client) => client.resource(namespaces).get('default')));
  assert.is(runs(), 2);
  for (const client of all) client.close();
});
plugins('are asked again when what they gave has expired', async () => {
  const { exec, runs } = plugin('expiring', { token, expirationTimestamp: '2006-01-02T15:04:05Z' });
  const client = await clientOf(exec);
  for (let i = 0; i < 3; i++) await client.resource(namespaces).get('default');
  assert.is(runs(), 3);
  client.close();
});
plugins('give certificates, with which connections are made', async () => {
  const { exec } = plugin('certificate', { clientCertificateData: clientCertificate, clientKeyData: clientKey });
  const client = await clientOf(exec);
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default');
  client.close();
});
plugins('give another certificate, with which other connections are made', async () => {
  const expirationTimestamp = '2006-01-02T15:04:05Z';
  const { exec, answer } = plugin('renewed', { clientCertificateData: clientCertificate, clientKeyData: clientKey, expirationTimestamp });
  const client = await clientOf(exec);
  const get = () => client.resource(namespaces).get('default');
  assert.is((await get()).metadata.name, 'default');
  answer({ clientCertificateData: OTHER_CERTIFICATE, clientKeyData: OTHER_KEY });
  assert.ok(isUnauthorized(await get().catch((error: unknown) => error)));
  answer({ clientCertificateData: clientCertificate, clientKeyData: clientKey });
  assert.is((await get()).metadata.name, 'default');
  client.close();
});
plugins('are told of the cluster where they want to know', async () => {
  const { exec } = plugin('told', { token });
  const extensions = [{ name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } }];
  const client = await clientOf({ ...exec, provideClusterInfo: true }, { extensions, 'tls-server-name': 'localhost' });
  await client.resource(namespaces).get('default');
  const told = JSON.parse(readFileSync(path.join(folder, 'plugins/told.log'), 'utf8').split('\n')[0] as string);
  assert.equal(told.spec.cluster, {
    server: server.url,
    'tls-server-name': 'localhost',
    'certificate-authority-data': base64(certificateAuthority),
    config: { audience: 'a' },
  });
  client.close();
});
plugins('that are not installed come with the hint of the configuration', async () => {
  const exec = {
    command: 'no-such-plugin',
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    installHint: 'get \u001b[1mit',
  };
  const client = await clientOf(exec);
  const error = await client
    .resource(namespaces)
    .get('default')
    .catch((thrown: Error) => thrown);
  assert.instance(error, ConfigurationError);
  assert.match((error as Error).message, /^exec: executable no-such-plugin not found\n\n.*\n\nget U\+001B\[1mit$/s);
  client.close();
});
const answers: [name: string, output: string, message: RegExp][] = [
  ['no JSON', 'hello: [', /^decoding stdout: /],
  [
    'another version',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"x"}}',
    /is configured to use API version .*\/v1, plugin returned version .*\/v1beta1$/,
  ],
  ['another kind', '{"kind":"Pod","apiVersion":"v1"}', /^decoding stdout: no kind "Pod"/],
  [
    'no time',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x","expirationTimestamp":"soon"}}',
    /is no time$/,
  ],
];
for (const [name, output, message] of answers)
  plugins(`that answer with ${name} give nothing`, async () => {
    const { exec } = plugin(`answers-${name.replaceAll(' ', '-')}`, {});
    writeFileSync(path.join(folder, `plugins/answers-${name.replaceAll(' ', '-')}.out`), output);
    const client = await clientOf(exec);
    const error = await client
      .resource(namespaces)
      .get('default')
      .catch((thrown: Error) => thrown);
    assert.match((error as Error).message, message);
    client.close();
  });

const pod = suite('clients in a pod');
const account = path.join(folder, 'account');
file('account/token', token);
file('account/ca.crt', certificateAuthority);
file('account/namespace', 'of-the-pod\n');
const { hostname, port } = new URL(server.url);
pod('have the account of the pod, by the names of the dialect', async () => {
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  assert.ok(isInCluster(kubernetes, { folder: account, environment }));
  assert.not(isInCluster(cluster, { folder: account, environment }));
  assert.not(isInCluster(kubernetes, { folder: folder, environment }));
  const { connection, namespace } = inClusterConnection(kubernetes, { folder: account, environment });
  assert.is(namespace, 'of-the-pod');
  const client = createClient(connection, { dialect: 'kubernetes', namespace });
  assert.is((await client.resource(namespaces).get('default')).metadata.name, 'default');
  client.close();
  assert.is(inClusterConnection(kubernetes, { folder: account, environment: { ...environment, POD_NAMESPACE: 'p' } }).namespace, 'p');
  assert.is(
    inClusterConnection(kubernetes, { folder: account, environment: { ...environment, KUBERNETES_SERVICE_HOST: 'fd00::1' } }).connection
      .server,
    `https://[fd00::1]:${port}`,
  );
});
pod('trust whom everybody trusts where the pod has no authority of its own, and warn of that', async () => {
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const bare = path.join(folder, 'bare-account');
  file('bare-account/token', token);
  for (const problem of [/ca\.crt: no such file/, /unable to load root certificates: unable to parse bytes as PEM block/]) {
    const warned = once(process, 'warning');
    const { connection } = inClusterConnection(kubernetes, { folder: bare, environment });
    assert.is(connection.certificateAuthority, undefined);
    assert.match(((await warned) as [Error])[0].message, problem);
    file('bare-account/ca.crt', 'nothing');
  }
});
pod('say what is missing', () =>
  assert.throws(
    () => inClusterConnection(cluster, { folder: account, environment: {} }),
    /CLUSTER_SERVICE_HOST and CLUSTER_SERVICE_PORT must be defined/,
  ),
);

files.run();
tokens.run();
pod.run();
plugins.run();
// it ends the server
clients.run();
