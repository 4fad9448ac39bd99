/** Clients that configurations make, over a server. */
import { renameSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import { ConfigurationError, connect, createClient, findConnection, isUnauthorized } from '../../../generated/client/index.ts';
import { EmptyConfiguration } from '../../../runtime/client/configuration/configuration.ts';
import { readConfiguration } from '../../../runtime/client/configuration/configuration-object.ts';
import { connectionOf } from '../../../runtime/client/configuration/connection.ts';
import { resolveConfiguration } from '../../../runtime/client/configuration/resolve.ts';
import {
  asks,
  base64,
  certificateAuthority,
  clientCertificate,
  clientKey,
  config,
  configured,
  server,
  token,
} from './configured-server.ts';
import { cluster, file, folder, kubernetes, otherCertificate } from './written-files.ts';

// before the suite: it would begin while this waits
const [OTHER_CERTIFICATE, OTHER_KEY] = await otherCertificate();

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
  const client = await connect({ dialect: 'kubernetes', file: configured({ tokenFile: target }) });
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
  ['a path without a scheme', { token }, { server: 'host/server' }, /host must be a URL or a host:port pair: "host\/server"/],
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
clients.run();
