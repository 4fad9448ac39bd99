/** What a server says of the versions in which it stores resources, and what waits until it has. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Dialect } from '../../../runtime/contract/identity.ts';
import { Client, type Json } from '../../harness/client.ts';
import { eventually } from '../../harness/eventually.ts';
import { freePort } from '../../harness/free-ports.ts';
import { startServer, type TestServer } from '../../harness/server.ts';

const GATE = '--feature-gates=StorageVersionAPI=true';
const group = (dialect: Dialect): string => `internal.apiserver.${dialect === 'kubernetes' ? 'k8s.io' : 'cluster.io'}`;
const flagsOf = (dialect: Dialect): string[] => [GATE, `--runtime-config=${group(dialect)}/v1alpha1=true`];
const objectsOf = (client: Client): string => client.name('/apis/internal.apiserver.${groupDomain}/v1alpha1/storageversions');
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const HOOK = 'poststarthook/built-in-resources-storage-version-updater';

async function versionsOf(client: Client): Promise<Json[]> {
  const { status, text, body } = await client.get(objectsOf(client));
  assert.is(status, 200, text);
  return body.items;
}

/** @returns the name of the server's lease */
async function ownLease(client: Client): Promise<string> {
  const leases = client.name('/apis/coordination.${groupDomain}/v1/namespaces/${systemNamespace}/leases');
  const label = client.name('apiserver.${labelDomain}/identity');
  const { body } = await client.get(`${leases}?labelSelector=${label}`);
  return body.items[0].metadata.name;
}

async function inFolder(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), 'storage-versions-'));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Each client has a connection of its own: several workers have some of them. */
const clientsOf = (server: TestServer): Client[] => Array.from({ length: 4 }, () => new Client(server));

const test = suite('storage versions');

for (const dialect of ['kubernetes', 'cluster'] as const)
  test(`a server that is ready has told them, and writes: ${dialect}`, () =>
    inFolder(async (directory) => {
      let before: Json[] = [];
      for (const workers of [2, 1]) {
        const server = await startServer({ dialect, directory, flags: [...flagsOf(dialect), `--workers=${workers}`] });
        const clients = clientsOf(server);
        const [client] = clients as [Client];
        const all = await versionsOf(client);
        const id = await ownLease(client);
        for (const { metadata, status } of all) {
          assert.is(status.storageVersions.length, 1, metadata.name);
          assert.is(status.storageVersions[0].apiServerID, id);
          assert.is(status.commonEncodingVersion, status.storageVersions[0].encodingVersion);
        }
        const names = all.map(({ metadata }) => metadata.name);
        for (const name of ['core.pods', 'apps.deployments', `${group(dialect)}.storageversions`]) assert.ok(names.includes(name), name);
        for (const [index, each] of clients.entries()) {
          const { status, text } = await each.post(CONFIGMAPS, { metadata: { name: `${workers}-${index}` } });
          assert.ok(status < 300, text);
          assert.match((await each.get('/readyz?verbose')).text, `[+]${HOOK} ok`);
          each.close();
        }
        if (before.length > 0) assert.equal(all, before, 'a start writes what is right already');
        before = all;
        assert.is(await server.stop(), 0);
      }
    }));

test('entries of a server that is gone go', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: flagsOf('kubernetes') });
  const client = new Client(server);
  const pods = `${objectsOf(client)}/core.pods`;
  const { body } = await client.get(pods);
  const gone = { ...body.status.storageVersions[0], apiServerID: 'apiserver-gone' };
  const status = { ...body.status, storageVersions: [...body.status.storageVersions, gone] };
  const written = await client.put(`${pods}/status`, { ...body, status });
  assert.is(written.status, 200, written.text);
  await eventually('the entry goes', async () => (await client.get(pods)).body.status.storageVersions.length === 1);
  assert.equal((await client.get(pods)).body.status.storageVersions, body.status.storageVersions);
  client.close();
  assert.is(await server.stop(), 0);
});

/** Nobody may say in which version config maps are stored. */
const POLICY = {
  metadata: { name: 'no-configmaps' },
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [{ apiGroups: ['*'], apiVersions: ['*'], resources: ['storageversions'], operations: ['CREATE', 'UPDATE'] }],
    },
    validations: [{ expression: 'object.metadata.name != "core.configmaps"', message: 'not these' }],
  },
};
const BINDING = { metadata: { name: 'no-configmaps' }, spec: { policyName: 'no-configmaps', validationActions: ['Deny'] } };

test('what could not be told is not written, and the server is not ready', () =>
  inFolder(async (directory) => {
    const port = await freePort();
    const first = await startServer({ dialect: 'kubernetes', directory, port });
    const client = new Client(first);
    const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
    assert.is((await client.post(policies, POLICY)).status, 201);
    assert.is((await client.post('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', BINDING)).status, 201);
    await first.stop();
    let pid = 0;
    const starting = startServer({
      dialect: 'kubernetes',
      directory,
      port,
      flags: flagsOf('kubernetes'),
      spawned: (of) => {
        pid = of;
      },
    }).then(
      () => 'ready',
      () => 'not ready',
    );
    const refusal = async (): Promise<string> =>
      (await client.post(CONFIGMAPS, { metadata: { name: 'a' } }).catch(() => undefined))?.text ?? '';
    await eventually('the error is told', async () => (await refusal()).includes('last seen error: storageversions'));
    const { status, body } = await client.post(CONFIGMAPS, { metadata: { name: 'a' } });
    assert.equal([status, body.reason], [503, 'ServiceUnavailable']);
    assert.match(
      body.message,
      /^wait for storage version registration to complete for resource: configmaps, last seen error: storageversions\.internal\.apiserver\.k8s\.io "core\.configmaps" is forbidden: .*not these$/,
    );
    assert.is((await client.get(CONFIGMAPS)).status, 200);
    // what comes behind it is told
    const secret = async (): Promise<number> =>
      (await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'a' } })).status;
    await eventually('another resource is written', async () => (await secret()) === 201);
    const ready = await client.get('/readyz?verbose');
    assert.is(ready.status, 500);
    assert.match(ready.text, `[-]${HOOK} failed`);
    client.close();
    process.kill(pid, 'SIGTERM');
    assert.is(await starting, 'not ready');
  }));

test('the controller of another program may do what it needs', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [...flagsOf('kubernetes'), '--authorization-mode=RBAC'] });
  const client = new Client(server);
  const user = 'system:serviceaccount:kube-system:storage-version-garbage-collector';
  const attributes = { verb: 'update', group: group('kubernetes'), resource: 'storageversions', subresource: 'status' };
  const review = await client.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    spec: { user, resourceAttributes: attributes },
  });
  assert.is(review.body.status.allowed, true, review.text);
  client.close();
  assert.is(await server.stop(), 0);
});

test('the objects are not served: the log says so, and nothing waits', async () => {
  const server = await startServer({ dialect: 'kubernetes', flags: [GATE] });
  const client = new Client(server);
  assert.is((await client.post(CONFIGMAPS, { metadata: { name: 'a' } })).status, 201);
  assert.ok(server.log().includes('add --runtime-config=internal.apiserver.k8s.io/v1alpha1=true'));
  assert.not((await client.get('/readyz?verbose')).text.includes(HOOK));
  client.close();
  assert.is(await server.stop(), 0);
});

test('the gate is closed: nobody tells anything', async () => {
  const [, served = ''] = flagsOf('kubernetes');
  const server = await startServer({ dialect: 'kubernetes', flags: [served] });
  const client = new Client(server);
  assert.equal(await versionsOf(client), []);
  assert.not((await client.get('/readyz?verbose')).text.includes(HOOK));
  client.close();
  assert.is(await server.stop(), 0);
});

test.run();
