import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ManagedFieldsEntry } from '../../generated/meta/v1/types.ts';
import type { ApiServer } from '../../runtime/assembly/parts/api-server.ts';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { StoredObject } from '../../runtime/registry/stored-objects/stored-object.ts';
import { ensureObjects } from '../../runtime/system-objects/ensure.ts';
import type { SystemObject } from '../../runtime/system-objects/system-object.ts';
import { TestCluster } from '../controllers/server.ts';

const test = suite<{ cluster: TestCluster }>('making and repairing objects');
test.before.each(async (context) => {
  context.cluster = await TestCluster.create();
});
test.after.each(({ cluster }) => cluster.remove());

const KEY = 'configmaps/default/kept';
/** Wants its data to be those; `recreate` where somebody has said that it may not change. */
const kept = (resource = 'configmaps'): SystemObject => ({
  resource: { group: '', version: 'v1', name: resource },
  metadata: { namespace: 'default', name: 'kept', labels: { made: 'yes' } },
  members: { data: { a: '1' } },
  repair: (stored) => (stored.immutable ? 'recreate' : stored.data?.a === '1' ? undefined : { ...stored, data: { a: '1' } }),
});

function stored({ storage }: ApiServer): ApiObject {
  const entry = storage.get(KEY);
  if (entry === undefined) throw new Error(`${KEY} is not there`);
  return new StoredObject(entry.value).parse();
}

/** Who wrote which fields of it. */
const owners = ({ metadata }: ApiObject) =>
  (metadata.managedFields as ManagedFieldsEntry[]).map(({ manager, operation }) => `${manager} ${operation}`);

const edited = (cluster: TestCluster, change: (object: ApiObject) => void) =>
  cluster.edit('v1', 'configmaps', { namespace: 'default', name: 'kept' }, change);

test('one of a namespace is made, and left alone while it is as it should be', async ({ cluster: { server } }) => {
  assert.equal(await ensureObjects(server, [kept()]), [KEY]);
  const made = stored(server);
  assert.equal([made.metadata.labels, made.data, owners(made)], [{ made: 'yes' }, { a: '1' }, ['kube-apiserver Update']]);
  await ensureObjects(server, [kept()]);
  assert.is(stored(server).metadata.resourceVersion, made.metadata.resourceVersion);
});

test('one of another owner is made and repaired by that', async ({ cluster }) => {
  const one = { ...kept(), manager: 'somebody' };
  await ensureObjects(cluster.server, [one]);
  assert.equal(owners(stored(cluster.server)), ['somebody Update']);
  await edited(cluster, (object) => {
    object.data = { a: '2' };
  });
  await ensureObjects(cluster.server, [one]);
  const { data } = stored(cluster.server);
  assert.equal([data, owners(stored(cluster.server))], [{ a: '1' }, ['somebody Update']]);
});

test('one that is missing takes of its model what that has become, and of none its own', async ({ cluster: { server } }) => {
  const classes = { group: 'scheduling.k8s.io', version: 'v1', name: 'priorityclasses' };
  const one = (name: string): SystemObject => ({ resource: classes, metadata: { name }, members: { value: 1 } });
  const like: SystemObject = {
    ...one('newer'),
    model: { name: 'older', taken: ({ value }) => ({ metadata: { name: 'newer', labels: { taken: 'yes' } }, members: { value } }) },
  };
  const labels = (): unknown => new StoredObject(server.storage.get('priorityclasses/newer')?.value as Buffer).parse().metadata.labels;
  await ensureObjects(server, [like]);
  assert.is(labels(), undefined);
  await ensureObjects(server, [one('older')]);
  await ensureObjects(server, [{ ...like, repair: () => 'recreate' }]);
  assert.is(labels(), undefined, 'one that is there is no missing one');
  const store = await server.store(server.registry.current.resourceOfForm('scheduling.k8s.io', 'v1', 'priorityclasses') as never);
  await store.deletions.delete('', 'newer', {}, server.ruleContext(false), async () => undefined);
  await ensureObjects(server, [like]);
  assert.equal(labels(), { taken: 'yes' });
});

test('one whose resource is not served is left alone', async ({ cluster: { server } }) => {
  assert.equal(await ensureObjects(server, [kept('nothing')]), []);
});

test('one that differs is repaired', async ({ cluster }) => {
  await ensureObjects(cluster.server, [kept()]);
  const { uid } = (await edited(cluster, (object) => (object.data = { b: '2' }))).metadata;
  await ensureObjects(cluster.server, [kept()]);
  const { data, metadata } = stored(cluster.server);
  assert.equal([data, metadata.uid], [{ a: '1' }, uid]);
});

test('one that no update can repair is made again', async ({ cluster }) => {
  await ensureObjects(cluster.server, [kept()]);
  const { uid } = (await edited(cluster, (object) => (object.immutable = true))).metadata;
  await ensureObjects(cluster.server, [kept()]);
  const { data, immutable, metadata } = stored(cluster.server);
  assert.equal([data, immutable], [{ a: '1' }, undefined]);
  assert.is.not(metadata.uid, uid);
});

for (const change of [(object: ApiObject) => (object.data = { b: '2' }), (object: ApiObject) => (object.immutable = true)])
  test('one that is deleted after it was looked at is made again', async ({ cluster }) => {
    const { server } = cluster;
    await ensureObjects(server, [kept()]);
    const { uid } = (await edited(cluster, change)).metadata;
    let deleted = false;
    const store: ApiServer['store'] = async (resource) => {
      if (!deleted) await cluster.delete('v1', 'configmaps', { namespace: 'default', name: 'kept' });
      deleted = true;
      return server.store(resource);
    };
    await ensureObjects({ ...server, store }, [kept()]);
    const { data, metadata } = stored(server);
    assert.equal(data, { a: '1' });
    assert.is.not(metadata.uid, uid);
  });

test.run();
