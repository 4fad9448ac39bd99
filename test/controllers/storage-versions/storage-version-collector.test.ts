/** What servers that are gone said of their storage versions goes too. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { entriesOf } from '../../../runtime/controllers/storage-versions/server-entries.ts';
import { storageVersionCollector } from '../../../runtime/controllers/storage-versions/storage-version-collector.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('collection of storage versions');

const GROUP = 'internal.apiserver.k8s.io/v1alpha1';
/** Leases of servers that have expired go. */
const LIVING = { holderIdentity: 'x', leaseDurationSeconds: 3_600, renewTime: new Date().toISOString().replace('Z', '000Z') };
const LABELS = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(() => cluster.remove());

const start = () => cluster.start('storage-version-gc');
const lease = (name: string, labels: object = LABELS, namespace = 'kube-system') =>
  cluster.create('coordination.k8s.io/v1', 'leases', { metadata: { namespace, name, labels }, spec: LIVING });
const removeLease = (name: string, namespace = 'kube-system') => cluster.delete('coordination.k8s.io/v1', 'leases', { namespace, name });

async function say(name: string, ...servers: (readonly [id: string, version: string])[]): Promise<void> {
  await cluster.create(GROUP, 'storageversions', { metadata: { name }, spec: {}, status: {} });
  const storageVersions = servers.map(([apiServerID, encodingVersion]) => ({
    apiServerID,
    encodingVersion,
    decodableVersions: ['v1', 'v2'],
  }));
  const versions = new Set(servers.map(([, version]) => version));
  const [common] = versions.size === 1 ? versions : [];
  await cluster.edit(
    GROUP,
    'storageversions',
    { name },
    (object) => {
      object.status = { storageVersions, ...(common && { commonEncodingVersion: common }) };
    },
    'status',
  );
}
const object = (name: string): ApiObject | undefined => cluster.objects('storageversions/').find(({ metadata }) => metadata.name === name);
const servers = (name: string): unknown => {
  const found = object(name);
  return found && entriesOf(found).map(({ apiServerID }) => apiServerID);
};
const comes = (name: string, wanted: unknown) =>
  eventually(
    () => JSON.stringify(servers(name)) === JSON.stringify(wanted),
    () => JSON.stringify(cluster.objects('storageversions/')),
  );

test('entries of servers without a lease go, at the start and later', async () => {
  await lease('a');
  await say('core.pods', ['a', 'v1'], ['b', 'v2']);
  await start();
  await comes('core.pods', ['a']);
  const { status } = object('core.pods') as ApiObject;
  assert.is(status.commonEncodingVersion, 'v1');
  assert.equal([status.conditions[0].status, status.conditions[0].reason], ['True', 'CommonEncodingVersionSet']);
  await say('core.secrets', ['c', 'v1'], ['a', 'v1']);
  await comes('core.secrets', ['a']);
});

test('a lease that is none of a server, or of another namespace, does not count', async () => {
  await lease('a');
  await lease('b', {});
  await lease('c', { 'apiserver.kubernetes.io/identity': 'other' });
  await lease('d', LABELS, 'default');
  await say('core.pods', ['a', 'v1'], ['b', 'v1'], ['c', 'v1'], ['d', 'v1']);
  await start();
  await comes('core.pods', ['a']);
});

test('an object that loses its last entry goes', async () => {
  await say('core.pods', ['a', 'v1']);
  await start();
  await comes('core.pods', undefined);
});

test('one that never had an entry stays', async () => {
  await say('core.configmaps');
  await say('core.pods', ['a', 'v1']);
  await start();
  await comes('core.pods', undefined);
  assert.equal(servers('core.configmaps'), []);
});

test('a server whose lease goes is taken out of all of them', async () => {
  await lease('a');
  await lease('b');
  await say('core.pods', ['a', 'v1'], ['b', 'v2']);
  await say('core.secrets', ['a', 'v1']);
  await say('core.nodes', ['b', 'v1']);
  await start();
  await removeLease('a');
  await comes('core.pods', ['b']);
  await comes('core.secrets', undefined);
  assert.equal(servers('core.nodes'), ['b']);
});

test('nothing runs while a gate is closed', async () => {
  for (const gate of ['StorageVersionAPI', 'APIServerIdentity'])
    assert.is(storageVersionCollector({ ...cluster.server, featureEnabled: (name) => name !== gate }), undefined);
});

test.run();
