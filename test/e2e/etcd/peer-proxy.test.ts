/** Servers of one etcd pass requests for resources that they do not serve on to one another. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { authority, Client, type Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { freePort } from '../../harness/free-ports.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { refusedStart } from '../../harness/server.ts';
import { answered, eventually, keysBelow, overEtcd, putValue, type ServerOver, startOver, stopAll, valueAt } from './over-etcd.ts';

const test = suite('requests that servers of one etcd pass on to one another');

const etcd = await startEtcd();
const servers: ServerOver[] = [];
test.after(() => stopAll(etcd, ...servers));

const folder = new OpenSsl();
const proxies = folder.authority('proxies');
const front = folder.leaf({ subject: '/CN=front', issuer: proxies });
/** all servers have the same authority and the same keys */
const certificates = await mkdtemp(path.join(tmpdir(), 'cluster-peers-'));
const authorityFile = path.join(certificates, 'peer-authority.crt');
const JOBS = '/apis/batch/v1/namespaces/default/jobs';
const LEASES = '/registry/peerserverleases/';
/** Milliseconds of patience. */
const LONG = 40_000;

const GATES = '--feature-gates=StorageVersionAPI=true,UnknownVersionInteroperabilityProxy=true';
const CERTIFICATE_FLAGS = [`--proxy-client-cert-file=${front.certificateFile}`, `--proxy-client-key-file=${front.keyFile}`];

async function start(host: string, config: string, ...others: string[]): Promise<ServerOver> {
  const port = await freePort();
  const flags = [
    GATES,
    ...CERTIFICATE_FLAGS,
    `--cert-dir=${certificates}`,
    `--runtime-config=internal.apiserver.k8s.io/v1alpha1=true,${config}`,
    `--requestheader-client-ca-file=${proxies.certificateFile}`,
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--peer-advertise-ip=127.0.0.1',
    `--peer-advertise-port=${port}`,
    ...others,
  ];
  const preload = path.join(import.meta.dirname, '../../harness/other-host.ts');
  const server = await startOver(etcd, flags, { port, preload, env: { OTHER_HOST: host } });
  servers.push(server);
  return server;
}

const job = (name: string): object => ({
  metadata: { name },
  spec: { template: { spec: { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' } } },
});

const rerouted = async ({ client }: ServerOver): Promise<Record<string, string>> => {
  const { text } = await client.get('/metrics');
  return Object.fromEntries(
    [...text.matchAll(/^apiserver_rerouted_request_total\{code="(\d+)"\} (\d+)$/gm)].map(([, code, count]) => [code, count]),
  );
};

test('a server says where others reach it', async () => {
  const { server } = await start('a', 'batch/v1=true');
  await writeFile(authorityFile, authority(server));
  await start('b', 'batch/v1=false', `--peer-ca-file=${authorityFile}`);
  const client = etcd.client();
  try {
    const keys = await eventually(
      () => keysBelow(client, LEASES),
      (found) => found.length === 2,
      LONG,
    );
    for (const key of keys) {
      const { value } = (await valueAt(client, key)) as { readonly value: Buffer };
      assert.is(value.subarray(0, 4).toString('latin1'), 'k8s\0');
      for (const text of ['apiserverIdentity', '127.0.0.1', 'https', 'TCP']) assert.ok(value.includes(text), text);
    }
  } finally {
    client.close();
  }
});

test('what one server does not serve, another one does', async () => {
  const [a, b] = servers as [ServerOver, ServerOver];
  await answered(201, a.client.post(JOBS, job('of-a')));
  const { items } = await answered(200, b.client.get(JOBS));
  assert.equal(
    items.map(({ metadata }: Json) => metadata.name),
    ['of-a'],
  );
  await answered(201, b.client.post(JOBS, job('of-b')));
  const { status } = await answered(404, b.client.get(`${JOBS}/nobody`));
  assert.is(status, 'Failure');
  assert.equal(await rerouted(b), { 200: '1', 201: '1', 404: '1' });
  assert.equal(await rerouted(a), {});
});

test('who asks is known there', async () => {
  const [, b] = servers as [ServerOver, ServerOver];
  const rules = [{ apiGroups: ['batch'], resources: ['jobs'], verbs: ['*'] }];
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await answered(201, b.client.post(`${roles}/roles`, { metadata: { name: 'jobs' }, rules }));
  await answered(
    201,
    b.client.post(`${roles}/rolebindings`, {
      metadata: { name: 'jobs' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'jobs' },
      subjects: [{ kind: 'Group', name: 'qa', apiGroup: 'rbac.authorization.k8s.io' }],
    }),
  );
  const alice = new Client(b.server, b.server.tokens.alice);
  try {
    await answered(200, alice.get(`${JOBS}/of-a`));
    const refused = await answered(403, alice.post('/apis/batch/v1/namespaces/kube-system/jobs', job('of-alice')));
    assert.match(refused.message, /^jobs\.batch is forbidden: User "alice" cannot create resource "jobs"/);
  } finally {
    alice.close();
  }
});

test('events of a watch come through', async () => {
  const [a, b] = servers as [ServerOver, ServerOver];
  const watch = await b.client.watch(`${JOBS}?watch=1&fieldSelector=metadata.name%3Dwatched`);
  await answered(201, a.client.post(JOBS, job('watched')));
  const { type, object } = await watch.next();
  assert.equal([type, object.metadata.name], ['ADDED', 'watched']);
  watch.close();
});

test('a request is passed on once, and what nobody serves is not found', async () => {
  const [, b] = servers as [ServerOver, ServerOver];
  const before = await rerouted(b);
  assert.is((await b.client.get(JOBS, { 'x-kubernetes-peer-proxied': 'true' })).status, 404);
  assert.is((await b.client.get('/apis/batch/v7/namespaces/default/jobs')).status, 404);
  assert.is((await b.client.get('/apis/batch/v1')).status, 404);
  assert.equal(await rerouted(b), before);
});

test('readiness tells of both parts', async () => {
  const parts = await Promise.all(
    servers.map(async ({ client }) => {
      const { text } = await client.get('/readyz?verbose=1');
      return [...text.matchAll(/^\[\+\]poststarthook\/(peer-\S+|unknown-version\S+) ok$/gm)].map(([, name]) => name);
    }),
  );
  assert.equal(parts, [['peer-endpoint-reconciler-controller'], ['peer-endpoint-reconciler-controller', 'unknown-version-proxy-filter']]);
});

test('a server that has gone is asked no more', async () => {
  const [a, b] = servers as [ServerOver, ServerOver];
  const client = etcd.client();
  try {
    const both = await keysBelow(client, LEASES);
    await a.server.stop();
    const left = await keysBelow(client, LEASES);
    assert.is(left.length, 1);
    const { message } = await answered(503, b.client.get(JOBS));
    assert.is(message, 'Error getting ip and port info of the remote server while proxying');
    // as if it had ended without a word
    const subsets = [{ addresses: [{ ip: '127.0.0.1' }], ports: [{ port: a.server.port }] }];
    const lease = JSON.stringify({ kind: 'Endpoints', apiVersion: 'v1', metadata: {}, subsets });
    await putValue(client, both.find((key) => !left.includes(key)) as string, Buffer.from(lease));
    const { status, text } = await b.client.get(JOBS);
    const reason = `dial tcp 127.0.0.1:${a.server.port}: connect: connection refused`;
    assert.equal([status, text], [503, `error trying to reach service: ${reason}\n`]);
    assert.is((await rerouted(b))[503], '1');
  } finally {
    client.close();
  }
});

const refused: readonly (readonly [flags: readonly string[], text: RegExp])[] = [
  [[GATES, `--peer-ca-file=${proxies.certificateFile}`], /error building peer proxy handler, proxy-cert-file not specified/],
  [[GATES, ...CERTIFICATE_FLAGS, `--peer-ca-file=${front.keyFile}`], /--peer-ca-file: .*unable to load root certificates/],
];
for (const [flags, text] of refused)
  test(`${flags.at(-1)?.split('=')[0]} that cannot be used is refused`, async () => {
    const internal = '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true';
    const { output } = await refusedStart({ dialect: 'kubernetes', flags: overEtcd(etcd, [...flags, internal]) });
    assert.match(output, text);
  });

test.run();
