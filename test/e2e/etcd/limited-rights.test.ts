/** An etcd whose clients have rights by their certificates: those that kube-apiserver needs are enough. */
import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { etcdOrSkip, startEtcd } from '../../harness/etcd.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { refusedStart } from '../../harness/server.ts';
import { answered, CONFIGMAPS, configMap, eventually, startOver } from './over-etcd.ts';

await etcdOrSkip();
const ssl = new OpenSsl();
const authority = ssl.authority('etcd');
const member = ssl.leaf({ subject: '/CN=etcd', issuer: authority, usage: 'serverAuth,clientAuth', host: '127.0.0.1' });
const root = ssl.leaf({ subject: '/CN=root', issuer: authority });
const apiserver = ssl.leaf({ subject: '/CN=apiserver', issuer: authority });
const stranger = ssl.leaf({ subject: '/CN=stranger', issuer: authority });
const etcd = await startEtcd({
  tls: {
    certificateFile: member.certificateFile,
    keyFile: member.keyFile,
    clientAuthorityFile: authority.certificateFile,
    authorityFile: authority.certificateFile,
    client: root,
  },
});

/** By etcd's interface for HTTP, until the rights are in force. */
function ask(path: string, body: object): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const shown = { cert: root.certificate, key: root.key, ca: readFileSync(authority.certificateFile) };
  request(`${etcd.address}/v3/auth/${path}`, { method: 'POST', agent: false, ...shown }, (answer) => {
    answer.resume().once('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${answer.statusCode}`))));
  })
    .once('error', reject)
    .end(JSON.stringify(body));
  return promise;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const test = suite('rights in etcd');
test.before(async () => {
  await ask('role/add', { name: 'registry' });
  const perm = { permType: 'READWRITE', key: base64('/registry/'), range_end: base64('/registry0') };
  await ask('role/grant', { name: 'registry', perm });
  for (const name of ['root', 'apiserver', 'stranger']) await ask('user/add', { name, options: { no_password: true } });
  await ask('user/grant', { user: 'root', role: 'root' });
  await ask('user/grant', { user: 'apiserver', role: 'registry' });
  await ask('enable', {});
});
test.after(() => etcd.stop());

const flagsOf = ({ certificateFile, keyFile }: typeof root): string[] => [
  `--etcd-cafile=${authority.certificateFile}`,
  `--etcd-certfile=${certificateFile}`,
  `--etcd-keyfile=${keyFile}`,
];

test('those to the keys of the prefix are enough; what is not compacted is told', async () => {
  const { client, server } = await startOver(etcd, [...flagsOf(apiserver), '--etcd-compaction-interval=200ms']);
  try {
    const watch = await client.watch(`${CONFIGMAPS}?watch=1`);
    await answered(201, client.post(CONFIGMAPS, configMap('a')));
    for (let event = await watch.next(); event.object.metadata.name !== 'a'; event = await watch.next());
    watch.close();
    assert.is((await client.get('/readyz')).status, 200);
    await eventually(
      async () => server.log(),
      (log) => log.includes('etcd could not be compacted'),
    );
    assert.equal(server.faults(), []);
  } finally {
    client.close();
    await server.stop();
  }
});

test('a dialect that has to leave its mark says which key it may not read', async () => {
  const { exitCode, output } = await refusedStart({ dialect: 'cluster', flags: [`--etcd-servers=${etcd.address}`, ...flagsOf(apiserver)] });
  assert.is(exitCode, 1);
  assert.match(output, /the mark of the dialect in etcd, \/registry\.dialect, cannot be read or written: .*permission denied/);
});

test('without rights a start says so', async () => {
  const flags = [`--etcd-servers=${etcd.address}`, ...flagsOf(stranger), '--storage-initialization-timeout=100ms'];
  const { exitCode, output } = await refusedStart({ dialect: 'kubernetes', flags });
  assert.is(exitCode, 1);
  assert.match(output, /--etcd-servers \(https:\S+\) cannot be used: etcd: PERMISSION_DENIED: etcdserver: permission denied/);
  assert.not.match(output, /\n {4}at /);
});

test.run();
