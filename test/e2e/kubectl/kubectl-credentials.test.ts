/** Every way in which an unmodified kubectl shows who it is: tokens, certificates, programs that fetch credentials, and acting as others. */
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { authority } from '../../harness/client.ts';
import { findKubectl, KUBECTL_MISSING, Kubectl, type Output } from '../../harness/kubectl.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { startServer } from '../../harness/server.ts';

const program = await findKubectl();
if (program === undefined) {
  console.log(KUBECTL_MISSING);
  process.exit(0);
}
const folder = new OpenSsl();
const clients = folder.authority('clients');
const server = await startServer({ dialect: 'kubernetes', flags: [`--client-ca-file=${clients.certificateFile}`] });
const kubectl = await Kubectl.create(program, server);
const EXEC_V1 = 'client.authentication.k8s.io/v1';
const EXEC_V1BETA1 = 'client.authentication.k8s.io/v1beta1';

/** The identity that the server sees, as JSON. */
const WHO = 'auth whoami -o json';
interface Who {
  readonly username: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}
const userIn = (output: string): Who => JSON.parse(output).status.userInfo;

/** Writes a client configuration whose user is the given one. @returns its path */
function configuration(user: object, cluster: object = {}): string {
  const ca = Buffer.from(authority(server)).toString('base64');
  return folder.write(
    'client.conf',
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server: server.url, 'certificate-authority-data': ca, ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
}
const as = (user: object, command = WHO, cluster: object = {}): Promise<Output> =>
  kubectl.try([`--kubeconfig=${configuration(user, cluster)}`, ...command.split(' ')]);

const plain = suite('kubectl shows who it is');
plain('by a token', async () => {
  assert.equal(userIn((await as({ token: server.tokens.alice })).stdout), {
    username: 'alice',
    uid: '1001',
    groups: ['dev', 'qa', 'system:authenticated'],
  });
});
plain('by a token of a file', async () => {
  assert.is(userIn((await as({ tokenFile: folder.write('token', server.tokens.alice) })).stdout).username, 'alice');
});
plain('by a certificate', async () => {
  const { certificateFile, keyFile } = folder.leaf({ subject: '/CN=bob/O=dev', issuer: clients });
  const user = userIn((await as({ 'client-certificate': certificateFile, 'client-key': keyFile })).stdout);
  assert.equal([user.username, user.groups], ['bob', ['dev', 'system:authenticated']]);
});
plain('by the token of a service account, which it asks for itself', async () => {
  await kubectl.run('create serviceaccount robot');
  const token = (await kubectl.run('create token robot --duration=20m')).trim();
  assert.is(userIn((await as({ token })).stdout).username, 'system:serviceaccount:default:robot');
  const bound = await kubectl.try('create token robot --bound-object-kind=Secret --bound-object-name=none');
  assert.match(bound.stderr, 'secrets "none" not found');
});
plain('and is told when nobody knows it', async () => {
  const { code, stderr } = await as({ token: 'nonsense' });
  assert.is(code, 1);
  assert.match(stderr, /Unauthorized|must be logged in/);
});
plain.run();

const others = suite('kubectl acts as others');
const impersonated: [options: string, who: Partial<Who>][] = [
  ['--as=tess', { username: 'tess', groups: ['system:authenticated'] }],
  ['--as=tess --as-group=one --as-group=two', { username: 'tess', groups: ['one', 'two', 'system:authenticated'] }],
  ['--as=tess --as-uid=7', { username: 'tess', uid: '7' }],
  [
    '--as=system:serviceaccount:default:robot',
    { groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'] },
  ],
];
for (const [options, who] of impersonated)
  others(options, async () => {
    const user = userIn(await kubectl.run(`${WHO} ${options}`));
    assert.equal({ ...user, ...who }, user);
  });
others('with extra information of its configuration', async () => {
  const user = { token: server.tokens.admin, as: 'tess', 'as-user-extra': { 'example.org/Team': ['one', 'two'] } };
  assert.equal(userIn((await as(user)).stdout).extra, { 'example.org/team': ['one', 'two'] });
});
others('only where it may', async () => {
  const { stderr } = await as({ token: server.tokens.alice }, 'get --raw /api/v1/pods --as=tess');
  assert.match(stderr, 'users "tess" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope');
});
others('and asks what they may do', async () => {
  assert.match((await kubectl.try('auth can-i create pods --as=tess')).stdout, /^no/m);
  assert.match(await kubectl.run('auth can-i create pods --as=tess --as-group=system:masters'), /^yes/m);
});
others.run();

const plugins = suite('kubectl runs a program for its credentials');
const seen = path.join(folder.folder, 'seen');
/** A program that notes what it is given, and prints what it is told to. */
function plugin(output: string): string {
  const file = folder.write(
    'plugin',
    `#!/bin/sh\nprintf '%s|%s|%s\\n' "$*" "$COLOUR" "$KUBERNETES_EXEC_INFO" >> ${seen}\ncat <<'END'\n${output}\nEND\n`,
  );
  chmodSync(file, 0o700);
  return file;
}
const credential = (status: object, apiVersion = EXEC_V1): string => JSON.stringify({ apiVersion, kind: 'ExecCredential', status });
const exec = (output: string, more: object = {}) => ({
  exec: { command: plugin(output), apiVersion: EXEC_V1, interactiveMode: 'Never', ...more },
});
const calls = (): string[] => (existsSync(seen) ? readFileSync(seen, 'utf8').trim().split('\n') : []);
plugins.before.each(() => rmSync(seen, { force: true }));
const TOKEN = { token: server.tokens.alice };

plugins("with arguments and environment of its own, in the configuration's folder", async () => {
  const user = exec(credential(TOKEN), { args: ['get', 'token'], env: [{ name: 'COLOUR', value: 'green' }], command: './plugin' });
  assert.is(userIn((await as(user)).stdout).username, 'alice');
  const [args, colour, info = ''] = calls()[0]?.split('|') ?? [];
  assert.equal([args, colour], ['get token', 'green']);
  assert.equal(JSON.parse(info), { kind: 'ExecCredential', apiVersion: EXEC_V1, spec: { interactive: false } });
});
plugins('that is told of the cluster where it wants that', async () => {
  const extension = { name: 'client.authentication.k8s.io/exec', extension: { audience: 'me' } };
  const { stdout } = await as(exec(credential(TOKEN), { provideClusterInfo: true }), WHO, { extensions: [extension] });
  assert.is(userIn(stdout).username, 'alice');
  const { spec } = JSON.parse(calls()[0]?.split('|')[2] ?? '{}');
  assert.equal([spec.cluster.server, spec.cluster.config], [server.url, { audience: 'me' }]);
  assert.is(Buffer.from(spec.cluster['certificate-authority-data'], 'base64').toString(), authority(server));
});
plugins('that gives a certificate', async () => {
  const { certificate, key } = folder.leaf({ subject: '/CN=carol/O=dev', issuer: clients });
  const { stdout } = await as(exec(credential({ clientCertificateData: certificate, clientKeyData: key })));
  assert.is(userIn(stdout).username, 'carol');
});
plugins('of the older version', async () => {
  const user = { exec: { command: plugin(credential(TOKEN, EXEC_V1BETA1)), apiVersion: EXEC_V1BETA1 } };
  assert.is(userIn((await as(user)).stdout).username, 'alice');
});
plugins('once for many requests, whether the credential says when it ends or not', async () => {
  for (const status of [TOKEN, { ...TOKEN, expirationTimestamp: '2999-01-01T00:00:00Z' }]) {
    rmSync(seen, { force: true });
    await as(exec(credential(status)), 'get --raw /api/v1');
    assert.is(calls().length, 1);
  }
});
plugins('and once more after the server has refused what it gave', async () => {
  const { code } = await as(exec(credential({ token: 'nonsense' })));
  assert.is(code, 1);
  assert.ok(calls().length >= 2, `${calls().length}`);
});
const failing: [name: string, user: () => object, message: RegExp][] = [
  ['that answers in another version', () => exec(credential(TOKEN, EXEC_V1BETA1)), /plugin returned version|expected/],
  ['that gives a certificate without its key', () => exec(credential({ clientCertificateData: 'x' })), /only certificate or key/],
  ['that gives nothing', () => exec(credential({})), /token|cert\/key/],
  [
    'that is not there',
    () => ({ exec: { command: 'no-such-program', apiVersion: EXEC_V1, interactiveMode: 'Never', installHint: 'Ask Zoë.' } }),
    /Ask Zoë\./,
  ],
  [
    'that must ask people, where there are none',
    () => exec(credential(TOKEN), { interactiveMode: 'Always' }),
    /interactive|standard input|stdin/i,
  ],
  ['without the mode that v1 wants', () => ({ exec: { command: plugin(credential(TOKEN)), apiVersion: EXEC_V1 } }), /interactiveMode/],
];
for (const [name, user, message] of failing)
  plugins(`${name} fails`, async () => {
    const { code, stderr } = await as(user());
    assert.not.equal(code, 0);
    assert.match(stderr, message, stderr);
  });
plugins.after(async () => {
  folder.remove();
  assert.equal(server.faults(), []);
  await server.stop();
});
plugins.run();
