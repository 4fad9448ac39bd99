import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Allocator } from '../../../runtime/contract/allocation.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { StorageFull } from '../../../runtime/storage/errors.ts';
import { TestCluster } from '../../controllers/server.ts';

const test = suite('stored resources');

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
});
test.after(() => cluster.remove());

const addressRanges = new Map([['IPv4', '10.0.0.0/24']]);

test('a create whose preparation finds the store full is refused as one that is written then', async () => {
  const full = async () => {
    throw new StorageFull('the store is full');
  };
  const allocator = { addressRanges, take: () => ({ anyAddress: full, giveBack: async () => {} }) } as unknown as Allocator;
  const store = await cluster.server.store(cluster.resource('v1', 'services'));
  const { object } = store.hub.decode({ metadata: { name: 's', namespace: 'n' }, spec: { ports: [{ port: 80 }] } });
  try {
    await store.create(object, { ...cluster.server.ruleContext(false), allocator }, async () => {});
    assert.unreachable();
  } catch (error) {
    assert.instance(error, StatusError);
    assert.equal([(error as StatusError).code, (error as StatusError).status.reason], [503, 'ServiceUnavailable']);
  }
});

test('what is taken for an object whose generated name is taken is given back, and taken by the next name', async () => {
  const { server } = cluster;
  const seen: string[] = [];
  const taking = (name: string) => ({
    anyAddress: async () => {
      seen.push(`taken by ${name}`);
      return `10.0.0.${seen.length}`;
    },
    giveBack: async () => void seen.push(`given back by ${name}`),
  });
  const allocator = { addressRanges, take: ({ name }: { name: string }) => taking(name) } as unknown as Allocator;
  const store = await server.store(cluster.resource('v1', 'services'));
  const { object } = store.hub.decode({ metadata: { generateName: 'g-', namespace: 'n' }, spec: { ports: [{ port: 80 }] } });
  const names: string[] = [];
  const admit = async ({ metadata: { name = '' } }: ApiObject): Promise<undefined> => {
    names.push(name);
    if (names.length > 1) return;
    await cluster.create('v1', 'services', { metadata: { name, namespace: 'n' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } });
  };
  const written = await store.create(object, { ...server.ruleContext(false), allocator }, admit);
  assert.is(names.length, 2);
  assert.is(written.object.metadata.name, names[1]);
  assert.equal(seen, [`taken by ${names[0]}`, `given back by ${names[0]}`, `taken by ${names[1]}`]);
  assert.is(store.get('n', names[1] as string).object.spec?.clusterIP, '10.0.0.3');
});

test('a generated name that is taken is replaced by another', async () => {
  const { server } = cluster;
  const store = await server.store(cluster.resource('v1', 'configmaps'));
  const { object } = store.hub.decode({ metadata: { generateName: 'g-', namespace: 'n' }, data: { a: 'b' } });
  let taken = '';
  const admit = async ({ metadata: { name = '' } }: ApiObject): Promise<undefined> => {
    if (taken === '') await cluster.create('v1', 'configmaps', { metadata: { name, namespace: 'n' } });
    taken ||= name;
  };
  const { object: made } = await store.create(object, server.ruleContext(false), admit);
  assert.match(made.metadata.name as string, /^g-[a-z0-9]{5}$/);
  assert.is.not(made.metadata.name, taken);
  assert.equal([store.get('n', made.metadata.name as string).object.data, store.get('n', taken).object.data], [{ a: 'b' }, undefined]);
});

test('an object whose generated name is taken is prepared and admitted anew by its next one', async () => {
  const { server } = cluster;
  const store = await server.store(cluster.resource('batch/v1', 'jobs'));
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const { object } = store.hub.decode({ metadata: { generateName: 'g-', namespace: 'n' }, spec: { template } });
  const names: string[] = [];
  const admit = async ({ metadata: { name = '' } }: ApiObject): Promise<undefined> => {
    names.push(name);
    if (names.length === 1) await cluster.create('batch/v1', 'jobs', { metadata: { name, namespace: 'n' }, spec: { template } });
  };
  const { object: made } = await store.create(object, server.ruleContext(false), admit);
  assert.is(names.length, 2);
  assert.is(made.metadata.name, names[1]);
  assert.is(made.spec?.template.metadata.labels['batch.kubernetes.io/job-name'], names[1]);
});

test('after eight generated names that are taken the last one is said to exist', async () => {
  const { server } = cluster;
  const allocator = {
    addressRanges,
    take: () => ({ anyAddress: async () => '10.0.0.9', giveBack: async () => {} }),
  } as unknown as Allocator;
  const store = await server.store(cluster.resource('v1', 'services'));
  const { object } = store.hub.decode({ metadata: { generateName: 'g-', namespace: 'n' }, spec: { ports: [{ port: 80 }] } });
  const names: string[] = [];
  const admit = async ({ metadata: { name = '' } }: ApiObject): Promise<undefined> => {
    names.push(name);
    await cluster.create('v1', 'services', { metadata: { name, namespace: 'n' }, spec: { ports: [{ port: 80 }], clusterIP: 'None' } });
  };
  const error = await store.create(object, { ...server.ruleContext(false), allocator }, admit).catch((thrown: unknown) => thrown);
  assert.instance(error, StatusError);
  const { code, status } = error as StatusError;
  assert.equal([code, status.reason, status.details?.retryAfterSeconds], [409, 'AlreadyExists', 1]);
  assert.is(status.message, `services "${names[7]}" already exists, the server was not able to generate a unique name for the object`);
  assert.is(names.length, 8);
});

test('an object with a generated name that is longer than any may be is refused at once', async () => {
  const { server } = cluster;
  const store = await server.store(cluster.resource('apps/v1', 'controllerrevisions'));
  const { object } = store.hub.decode({
    metadata: { generateName: 'g-', namespace: 'n' },
    revision: 1,
    data: { text: 'x'.repeat(8 * 1024 * 1024) },
  });
  const error = await store.create(object, server.ruleContext(false), async () => {}).catch((thrown: unknown) => thrown);
  assert.instance(error, StatusError);
  assert.equal([(error as StatusError).code, (error as StatusError).status.reason], [413, 'RequestEntityTooLarge']);
});

for (const [length, isOwned] of [
  [2 * 1024 * 1024, true],
  [3 * 1024 * 1024, false],
] as const)
  test(`an object of ${length} bytes is stored ${isOwned ? 'with' : 'without'} the owners of its fields`, async () => {
    const { server } = cluster;
    const store = await server.store(cluster.resource('apps/v1', 'controllerrevisions'));
    const managedFields = [
      { manager: 'm', operation: 'Update', apiVersion: 'apps/v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:revision': {} } },
    ];
    const name = `owned-${length}`;
    const { object } = store.hub.decode({ metadata: { name, namespace: 'n' }, revision: 1, data: { text: 'x'.repeat(length) } });
    object.metadata.managedFields = managedFields as NonNullable<ApiObject['metadata']['managedFields']>;
    await store.create(object, server.ruleContext(false), async () => {}, { keepsOwners: true });
    assert.is(store.get('n', name).object.metadata.managedFields !== undefined, isOwned);
  });

test('an update of what is deleted meanwhile finds nothing, whatever version it names', async () => {
  const { server } = cluster;
  const { metadata } = await cluster.create('v1', 'configmaps', { metadata: { name: 'c', namespace: 'n' } });
  const store = await server.store(cluster.resource('v1', 'configmaps'));
  const produce = async (old: ApiObject): Promise<ApiObject> => {
    await cluster.delete('v1', 'configmaps', { namespace: 'n', name: 'c' });
    return { ...old, data: { a: 'b' }, metadata: { ...old.metadata, resourceVersion: metadata.resourceVersion as string } };
  };
  const options = {
    target: 'object',
    context: server.ruleContext(false),
    admit: async () => undefined,
    retry: false,
  } as const;
  try {
    await store.update('n', 'c', produce, options);
    assert.unreachable();
  } catch (error) {
    assert.instance(error, StatusError);
    assert.equal([(error as StatusError).code, (error as StatusError).status.reason], [404, 'NotFound']);
  }
});

test('a uid that admission changes is fixed, and no other object', async () => {
  const { server } = cluster;
  const { metadata } = await cluster.create('v1', 'configmaps', { metadata: { name: 'u', namespace: 'n' } });
  const store = await server.store(cluster.resource('v1', 'configmaps'));
  const produce = (old: ApiObject): ApiObject => ({ ...old, metadata: { ...old.metadata, uid: 'other' } });
  const options = { target: 'object', context: server.ruleContext(false), admit: async () => undefined, retry: true } as const;
  const error = await store.update('n', 'u', produce, { ...options, uid: metadata.uid }).catch((thrown: unknown) => thrown);
  assert.instance(error, StatusError);
  assert.is((error as StatusError).code, 422);
  assert.match((error as StatusError).message, /metadata\.uid: Invalid value: "other": field is immutable$/);
});

test('what a written object holds is not given back when what follows the write fails', async () => {
  const { server } = cluster;
  await cluster.create('v1', 'services', {
    metadata: { name: 'held', namespace: 'n' },
    spec: { ports: [{ port: 80 }], clusterIP: 'None' },
  });
  const store = await server.store(cluster.resource('v1', 'services'));
  let released = 0;
  const release = async () => {
    released++;
    throw new StorageFull('the store is full');
  };
  const context = { ...server.ruleContext(false), allocator: { addressRanges, take: () => ({}), release } as unknown as Allocator };
  const options = { target: 'object', context, admit: async () => undefined, retry: true } as const;
  const labelled = (old: ApiObject): ApiObject => ({ ...old, metadata: { ...old.metadata, labels: { a: 'b' } } });
  let failed = false;
  await store.update('n', 'held', labelled, options).catch(() => (failed = true));
  assert.ok(failed);
  assert.equal(store.get('n', 'held').object.metadata.labels, { a: 'b' });
  assert.is(released, 1);
});

test.run();
