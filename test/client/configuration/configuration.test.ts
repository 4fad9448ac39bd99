/** Configurations beyond the table: YAML, merging, paths, what is no configuration. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigurationError, findConnection } from '../../../generated/client/index.ts';
import { readConfiguration } from '../../../runtime/client/configuration/configuration-object.ts';
import { defaultLoadingRules, loadConfiguration } from '../../../runtime/client/configuration/loading-rules.ts';
import { resolveConfiguration } from '../../../runtime/client/configuration/resolve.ts';
import { TokenFile } from '../../../runtime/client/configuration/token-file.ts';
import { writeConfiguration } from '../../../runtime/client/configuration/write.ts';
import { cluster, file, folder, kubernetes, otherCertificate } from './written-files.ts';

// before the suites: they would begin while this waits
const [OTHER_CERTIFICATE] = await otherCertificate();

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

files.run();
tokens.run();
