/** Servers of one etcd say in which versions they store what, also where they begin at the same time and one leaves. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Json } from '../../harness/client.ts';
import { startEtcd } from '../../harness/etcd.ts';
import { answered, CONFIGMAPS, configMap, eventually, type ServerOver, startOver, stopAll } from './over-etcd.ts';

const test = suite('storage versions of servers over one etcd');

const etcd = await startEtcd();
const servers: (ServerOver | undefined)[] = [];
test.after(() => stopAll(etcd, ...servers));

const FLAGS = ['--feature-gates=StorageVersionAPI=true', '--runtime-config=internal.apiserver.k8s.io/v1alpha1=true'];
const OBJECTS = '/apis/internal.apiserver.k8s.io/v1alpha1/storageversions';
/** Milliseconds of patience. */
const LONG = 40_000;

test('servers that begin together are ready, and agree', async () => {
  const [first, second] = await Promise.all([startOver(etcd, FLAGS), startOver(etcd, FLAGS)]);
  servers.push(first, second);
  for (const [index, { client }] of [first, second].entries()) {
    const { items } = await answered(200, client.get(OBJECTS));
    // both are on one machine, which is what a server's name depends on
    for (const { metadata, status } of items) assert.is(status.storageVersions.length, 1, metadata.name);
    assert.ok(items.some(({ metadata }: Json) => metadata.name === 'core.pods'));
    await answered(201, client.post(CONFIGMAPS, configMap(`of-${index}`)));
  }
});

test('what another server said goes with its lease, and another version in common is told', async () => {
  const [first, second] = servers as [ServerOver, ServerOver];
  const metadata = { name: 'apiserver-other', labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver' } };
  const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'other', leaseDurationSeconds: 3_600, renewTime };
  await answered(201, first.client.post(leases, { metadata, spec }));
  const pods = await answered(200, first.client.get(`${OBJECTS}/core.pods`));
  const { commonEncodingVersion: _, ...status } = pods.status;
  const other = { apiServerID: 'apiserver-other', encodingVersion: 'v2', decodableVersions: ['v1', 'v2'] };
  const storageVersions = [...status.storageVersions, other];
  await answered(200, second.client.put(`${OBJECTS}/core.pods/status`, { ...pods, status: { ...status, storageVersions } }));
  await answered(200, second.client.delete(`${leases}/apiserver-other`));
  const left = await eventually(
    () => answered(200, second.client.get(`${OBJECTS}/core.pods`)),
    (found) => found.status.storageVersions.length === 1,
    LONG,
  );
  assert.is(left.status.commonEncodingVersion, 'v1');
});

test.run();
