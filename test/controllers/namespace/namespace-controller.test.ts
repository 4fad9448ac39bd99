import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiServerParts } from '../../../runtime/assembly/parts/api-server.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { newForbidden } from '../../../runtime/status/status.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('namespaces that are deleted');

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start('namespace');
});
test.after(() => cluster.remove());

const create = (name: string, metadata: object = {}) => cluster.create('v1', 'namespaces', { metadata: { name, ...metadata } });
const remove = (name: string) => cluster.delete('v1', 'namespaces', { name });
const read = (name: string): ApiObject | undefined => cluster.objects(`namespaces/${name}`).find(({ metadata }) => metadata.name === name);
const gone = (name: string) =>
  eventually(
    () => read(name) === undefined,
    () => JSON.stringify(read(name)),
  );
const configmap = (namespace: string, metadata: object = {}) =>
  cluster.create('v1', 'configmaps', { metadata: { name: 'c', namespace, ...metadata } });

/** Status, reason and message of each condition, by type. */
function conditions(name: string): Record<string, string[]> {
  const all: ApiObject[] = read(name)?.status?.conditions ?? [];
  return Object.fromEntries(all.map(({ type, status, reason, message }) => [type, [status, reason, message]]));
}

test('one that is empty goes', async () => {
  await create('empty');
  await remove('empty');
  await gone('empty');
});

test('objects of several kinds go first', async () => {
  await create('full');
  await configmap('full');
  await cluster.create('coordination.k8s.io/v1', 'leases', { metadata: { name: 'l', namespace: 'full' }, spec: {} });
  await cluster.create('v1', 'pods', { metadata: { name: 'p', namespace: 'full' }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  await configmap('default-of-others');
  await remove('full');
  await gone('full');
  for (const prefix of ['configmaps/full/', 'leases/full/', 'pods/full/']) assert.equal(cluster.objects(prefix), []);
  assert.is(cluster.objects('configmaps/default-of-others/').length, 1);
});

test('what a finalizer holds is named until it goes', async () => {
  await create('held');
  await configmap('held', { finalizers: ['e.com/f', 'e.com/g'] });
  await remove('held');
  await eventually(
    () => conditions('held').NamespaceFinalizersRemaining !== undefined,
    () => JSON.stringify(read('held')),
  );
  assert.equal(conditions('held'), {
    NamespaceDeletionDiscoveryFailure: ['False', 'ResourcesDiscovered', 'All resources successfully discovered'],
    NamespaceDeletionGroupVersionParsingFailure: ['False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    NamespaceDeletionContentFailure: ['False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    NamespaceContentRemaining: ['True', 'SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
    NamespaceFinalizersRemaining: [
      'True',
      'SomeFinalizersRemain',
      'Some content in the namespace has finalizers remaining: e.com/f in 1 resource instances, e.com/g in 1 resource instances',
    ],
  });
  await cluster.edit('v1', 'configmaps', { namespace: 'held', name: 'c' }, ({ metadata }) => delete metadata.finalizers);
  await gone('held');
});

test('a pod has its grace period', async () => {
  await create('graceful');
  const spec = { nodeName: 'n', terminationGracePeriodSeconds: 60, containers: [{ name: 'c', image: 'i' }] };
  await cluster.create('v1', 'pods', { metadata: { name: 'p', namespace: 'graceful' }, spec });
  await remove('graceful');
  await eventually(
    () => conditions('graceful').NamespaceContentRemaining?.[0] === 'True',
    () => JSON.stringify(read('graceful')),
  );
  assert.is(conditions('graceful').NamespaceContentRemaining?.[2], 'Some resources are remaining: pods. has 1 resource instances');
  assert.is(conditions('graceful').NamespaceDeletionContentFailure?.[0], 'False');
  assert.is(cluster.objects('pods/graceful/')[0]?.metadata.deletionGracePeriodSeconds, 60);
  await cluster.delete('v1', 'pods', { namespace: 'graceful', name: 'p' }, { gracePeriodSeconds: 0 });
  await gone('graceful');
});

/** A namespace with a config map, and a pod that takes its time. */
async function createWithPod(of: TestCluster, namespace: string): Promise<void> {
  await of.create('v1', 'namespaces', { metadata: { name: namespace } });
  await of.create('v1', 'configmaps', { metadata: { name: 'c', namespace } });
  const spec = { nodeName: 'n', terminationGracePeriodSeconds: 600, containers: [{ name: 'c', image: 'i' }] };
  await of.create('v1', 'pods', { metadata: { name: 'p', namespace }, spec });
  await of.delete('v1', 'namespaces', { name: namespace });
}

test('all else stays while a pod lives, and goes as soon as it ends', async () => {
  await createWithPod(cluster, 'ordered');
  await eventually(
    () => conditions('ordered').NamespaceContentRemaining?.[0] === 'True',
    () => JSON.stringify(read('ordered')),
  );
  assert.is(conditions('ordered').NamespaceContentRemaining?.[2], 'Some resources are remaining: pods. has 1 resource instances');
  assert.is(cluster.objects('configmaps/ordered/')[0]?.metadata.deletionTimestamp, undefined);
  assert.is(cluster.objects('configmaps/ordered/').length, 1);
  await cluster.delete('v1', 'configmaps', { namespace: 'ordered', name: 'c' });
  await configmap('ordered', { finalizers: ['e.com/f'] });
  await cluster.delete('v1', 'pods', { namespace: 'ordered', name: 'p' }, { gracePeriodSeconds: 0 });
  await eventually(
    () => cluster.objects('configmaps/ordered/')[0]?.metadata.deletionTimestamp !== undefined,
    () => JSON.stringify(read('ordered')),
  );
  await cluster.edit('v1', 'configmaps', { namespace: 'ordered', name: 'c' }, ({ metadata }) => delete metadata.finalizers);
  await gone('ordered');
});

test('without the gate OrderedNamespaceDeletion nothing waits for pods', async () => {
  const unordered = await TestCluster.create({ featureEnabled: (gate) => gate !== 'OrderedNamespaceDeletion' });
  try {
    await unordered.start('namespace');
    await createWithPod(unordered, 'unordered');
    await eventually(
      () => unordered.objects('configmaps/unordered/').length === 0,
      () => JSON.stringify(unordered.objects('configmaps/unordered/')),
    );
    assert.is(unordered.objects('pods/unordered/').length, 1);
  } finally {
    await unordered.remove();
  }
});

test('what may not be deleted is told by its error alone', async () => {
  const validate: ApiServerParts['admission']['validate'] = async ({ operation, resource: { groupResource }, name }) => {
    if (operation === 'delete' && groupResource.resource === 'configmaps') throw newForbidden(groupResource, name, 'it is needed');
  };
  const guarded = await TestCluster.create({ admission: { mutate: async () => {}, validate } });
  try {
    await guarded.start('namespace');
    await guarded.create('v1', 'namespaces', { metadata: { name: 'guarded' } });
    for (const kind of ['configmaps', 'secrets'])
      await guarded.create('v1', kind, { metadata: { name: 'c', namespace: 'guarded', finalizers: ['e.com/f'] } });
    await guarded.delete('v1', 'namespaces', { name: 'guarded' });
    const told = (): string[] =>
      (guarded.objects('namespaces/guarded')[0]?.status?.conditions ?? []).map(({ message }: ApiObject) => message as string);
    await eventually(
      () => told().length > 0,
      () => JSON.stringify(guarded.objects('namespaces/guarded')),
    );
    assert.equal(told().slice(2), [
      'Failed to delete all resource types, 1 remaining: configmaps is forbidden: it is needed',
      'Some resources are remaining: secrets. has 1 resource instances',
      'Some content in the namespace has finalizers remaining: e.com/f in 1 resource instances',
    ]);
  } finally {
    await guarded.remove();
  }
});

test('what goes wrong again and again is logged once, by its reason alone', async () => {
  const warnings: object[] = [];
  let attempts = 0;
  const validate: ApiServerParts['admission']['validate'] = async ({ operation, resource: { groupResource }, name }) => {
    if (operation !== 'delete' || groupResource.resource !== 'configmaps') return;
    attempts++;
    throw newForbidden(groupResource, name, 'it is needed');
  };
  const admission = { mutate: async () => {}, validate };
  const guarded = await TestCluster.create({ admission, warn: (fields, message) => warnings.push({ ...fields, message }) });
  try {
    await guarded.start('namespace');
    await guarded.create('v1', 'namespaces', { metadata: { name: 'guarded' } });
    await guarded.create('v1', 'configmaps', { metadata: { name: 'c', namespace: 'guarded' } });
    await guarded.delete('v1', 'namespaces', { name: 'guarded' });
    await eventually(
      () => attempts > 3,
      () => `${attempts} attempts`,
    );
    const message = 'a namespace is not empty yet; it is tried again';
    assert.equal(warnings, [{ namespace: 'guarded', problem: 'configmaps is forbidden: it is needed', message }]);
  } finally {
    await guarded.remove();
  }
});

test('a finalizer of its own holds it when it is empty', async () => {
  await create('own', { finalizers: ['e.com/f'] });
  await remove('own');
  await eventually(
    () => (read('own')?.spec?.finalizers ?? []).length === 0,
    () => JSON.stringify(read('own')),
  );
  assert.equal(read('own')?.metadata.finalizers, ['e.com/f']);
  await cluster.edit('v1', 'namespaces', { name: 'own' }, ({ metadata }) => delete metadata.finalizers);
  await gone('own');
});

test('what a controller that had ended left undone is done by the next', async () => {
  await cluster.stop();
  await create('later');
  await configmap('later');
  await remove('later');
  await cluster.start('namespace');
  await gone('later');
});

test.run();
