/** The lease that says that a server lives, and those of servers that are gone. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type IdentityLease, identityLease, identityName } from '../../../runtime/controllers/election/identity-lease.ts';
import { identity } from '../../kinds/context.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('leases of servers');

const GROUP = 'coordination.k8s.io/v1';
const HOST = 'node-a';
/** as another implementation of the rule gives it */
const NAME = 'apiserver-kcaaxytsc3gyd2kyybqqvf4bl4';
const LABELS = { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': HOST };

let cluster: TestCluster;
const running: IdentityLease[] = [];
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(async () => {
  for (const each of running.splice(0)) await each.stop();
  await cluster.remove();
});

function started(): IdentityLease {
  const lease = identityLease(cluster.server, { host: HOST }) as IdentityLease;
  running.push(lease);
  return lease;
}
const leases = (): ApiObject[] => cluster.objects('leases/');
const only = (): ApiObject => {
  const [lease, ...others] = leases();
  assert.is(others.length, 0);
  return lease as ApiObject;
};

test('its name depends on the machine', () => {
  assert.is(identityName(identity, HOST), NAME);
  assert.is(identityName(identity, 'kind-control-plane'), 'apiserver-c7uylvfxlbqccnk6myfkwetzze');
});

test('it is made, and renewed', async () => {
  const lease = started();
  await lease.renew();
  const { metadata, spec } = only();
  assert.equal([metadata.namespace, metadata.name, metadata.labels], ['kube-system', NAME, LABELS]);
  assert.match(spec.holderIdentity, new RegExp(`^${NAME}_[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}$`));
  assert.match(spec.renewTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  assert.is(spec.leaseDurationSeconds, 3_600);
  await eventually(
    () => Date.now() > Date.parse(spec.renewTime),
    () => 'time stands still',
  );
  await lease.renew();
  const renewed = only();
  assert.ok(renewed.spec.renewTime > spec.renewTime);
  assert.is(renewed.metadata.uid, metadata.uid);
  assert.is(renewed.spec.holderIdentity, spec.holderIdentity);
  assert.ok(Number(renewed.metadata.resourceVersion) > Number(metadata.resourceVersion));
});

test('the next server of the machine takes it over, with what others have written', async () => {
  await started().renew();
  const before = only();
  await cluster.edit(GROUP, 'leases', { namespace: 'kube-system', name: NAME }, ({ metadata }) => {
    metadata.annotations = { mine: 'kept' };
    metadata.labels = {};
  });
  await started().renew();
  const after = only();
  assert.is(after.metadata.uid, before.metadata.uid);
  assert.is.not(after.spec.holderIdentity, before.spec.holderIdentity);
  assert.equal([after.metadata.labels, after.metadata.annotations], [LABELS, { mine: 'kept' }]);
  const { object } = (await cluster.server.store(cluster.resource(GROUP, 'leases'))).hub.decode(after);
  assert.equal(object.spec, after.spec);
});

test('a renewal says when, of the server alone', async () => {
  await started().renew();
  const entry = (lease: ApiObject) => JSON.parse(JSON.stringify(lease.metadata.managedFields));
  const [before] = entry(only());
  await started().renew();
  const [after, ...others] = entry(only());
  assert.equal(others, []);
  assert.equal({ ...after, time: before.time }, before);
});

const past = '2020-01-01T00:00:00.000000Z';
const server = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
const others: [name: string, metadata: object, spec: object, stays: boolean][] = [
  ['of a server that is gone', { labels: server }, { renewTime: past, leaseDurationSeconds: 3_600 }, false],
  ['that was never renewed', { labels: server }, { leaseDurationSeconds: 3_600 }, false],
  ['without an end', { labels: server }, { renewTime: past }, false],
  ['of another server that lives', { labels: server }, { renewTime: past, leaseDurationSeconds: 2_147_483_647 }, true],
  ['of something else', {}, { renewTime: past, leaseDurationSeconds: 1 }, true],
  ['in another namespace', { labels: server, namespace: 'n' }, { renewTime: past, leaseDurationSeconds: 1 }, true],
];
for (const [name, metadata, spec, stays] of others)
  test(`a lease ${name} ${stays ? 'stays' : 'goes'}`, async () => {
    await cluster.create(GROUP, 'leases', { metadata: { name: 'l', namespace: 'kube-system', ...metadata }, spec });
    await started().collect();
    assert.is(leases().length, stays ? 1 : 0);
  });

test('what hinders a renewal is said once', async () => {
  const said: unknown[] = [];
  cluster.server.log.error = (...about: unknown[]) => said.push(about[1]);
  const { storage } = cluster.server;
  const lease = started();
  await lease.renew();
  const { update } = storage;
  storage.update = async () => {
    throw new Error('the disk is full');
  };
  for (let i = 0; i < 3; i++) await lease.renew();
  storage.update = update;
  assert.equal(said, ['the lease of this server could not be renewed; it is tried again']);
});

test('there is none where the gate is closed', () => {
  const closed = { ...cluster.server, featureEnabled: (gate: string) => gate !== 'APIServerIdentity' };
  assert.is(identityLease(closed, { host: HOST }), undefined);
});

test.run();
