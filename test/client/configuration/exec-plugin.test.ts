/** Programs that give clients their credentials. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { namespaces } from '../../../generated/client/core/v1/index.ts';
import { ConfigurationError, connect, isUnauthorized } from '../../../generated/client/index.ts';
import { eventually } from '../../harness/eventually.ts';
import { base64, certificateAuthority, clientCertificate, clientKey, configured, server, token } from './configured-server.ts';
import { file, folder, otherCertificate } from './written-files.ts';

// before the suite: it would begin while this waits
const [OTHER_CERTIFICATE, OTHER_KEY] = await otherCertificate();

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
  return connect({ dialect: 'kubernetes', file: configured({ exec }, members) });
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
  const held = file('plugins/held', '');
  const command = file('plugins/waiting', `#!/bin/sh\nwhile [ -e '${held}' ]; do sleep 0.05; done\n`, 0o700);
  const client = await clientOf({ command, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' });
  const error = await client
    .resource(namespaces)
    .get('default', { signal: AbortSignal.timeout(200) })
    .catch((thrown: unknown) => thrown);
  assert.is((error as Error).name, 'TimeoutError');
  rmSync(held);
  client.close();
});
plugins('that print without end are refused, and end though they do not heed it', async () => {
  const pid = file('plugins/endless.pid');
  const command = file('plugins/endless', `#!/bin/sh\ntrap '' TERM\necho $$ > '${pid}'\nexec yes\n`, 0o700);
  const client = await clientOf({ command, apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never' });
  const error = await client
    .resource(namespaces)
    .get('default')
    .catch((thrown: unknown) => thrown);
  assert.match((error as Error).message, /printed more than 1048576 bytes$/);
  const isThere = (): boolean => {
    try {
      return process.kill(Number(readFileSync(pid, 'utf8')), 0);
    } catch {
      return false;
    }
  };
  await eventually('the program has ended', () => !isThere());
  client.close();
});
const own: [name: string, user: object][] = [
  ['a token', { token }],
  ['a file with a token', { tokenFile: file('own-token', token) }],
  ['a certificate', { 'client-certificate-data': base64(clientCertificate), 'client-key-data': base64(clientKey) }],
  ['a password', { username: 'me', password: 'secret' }],
];
for (const [name, user] of own)
  plugins(`do not run where the configuration states ${name}`, async () => {
    const { exec, runs } = plugin(`unused-${name.replaceAll(' ', '-')}`, { token: 'wrong' });
    const client = await connect({ dialect: 'kubernetes', file: configured({ ...user, exec }) });
    // the server knows no passwords
    const isKnown = await client
      .resource(namespaces)
      .get('default')
      .then(
        () => true,
        () => false,
      );
    assert.equal([isKnown, runs()], [!('password' in user), 0]);
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
  ['no version', '{"kind":"ExecCredential"}', /plugin returned version client\.authentication\.k8s\.io\/__internal$/],
  ['no kind', '{"apiVersion":"client.authentication.k8s.io/v1"}', /didn't return a status field$/],
  [
    'no time',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x","expirationTimestamp":"soon"}}',
    /is no time$/,
  ],
  [
    'a time that is not RFC 3339',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x","expirationTimestamp":"2999-01-01"}}',
    /"2999-01-01" is no time$/,
  ],
  [
    'a day that there is not',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x","expirationTimestamp":"2999-02-30T00:00:00Z"}}',
    /is no time$/,
  ],
  [
    'a token that is a number',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":5}}',
    /^decoding stdout: status\.token must be a text, it is of the type number$/,
  ],
  [
    'a key in a list',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"clientCertificateData":"x","clientKeyData":["y"]}}',
    /^decoding stdout: status\.clientKeyData must be a text, it is of the type array$/,
  ],
  [
    'a time that is a number',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"x","expirationTimestamp":2999}}',
    /^decoding stdout: status\.expirationTimestamp must be a text, it is of the type number$/,
  ],
  [
    'a status that is a text',
    '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":"x"}',
    /^decoding stdout: status must be an object, it is of the type string$/,
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
plugins.after(async () => {
  await server.stop();
});
plugins.run();
