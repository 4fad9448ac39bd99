/** What becomes of dependents, owner by owner; the store is compared when the collector has come to rest. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { encodeStoredObject } from '../../../runtime/registry/stored-objects/stored-object.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('owners');

const ABSENT = '11111111-2222-3333-4444-555555555555';
const CONFIGMAP = { apiVersion: 'v1', kind: 'ConfigMap' };
const CLASS = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' };

let cluster: TestCluster;
let round = 0;
let namespace = '';
let other = '';
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start('garbagecollector');
});
test.before.each(async () => {
  namespace = `n${++round}`;
  other = `other${round}`;
  for (const name of [namespace, other]) await cluster.create('v1', 'namespaces', { metadata: { name } });
});
test.after(() => cluster.remove());

const configmap = (name: string, metadata: object = {}, where: string = namespace): Promise<ApiObject> =>
  cluster.create('v1', 'configmaps', { metadata: { name, namespace: where, ...metadata } });
const priorityClass = (name: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('scheduling.k8s.io/v1', 'priorityclasses', { metadata: { name: `${namespace}-${name}`, ...metadata }, value: 1 });
const uidOf = ({ metadata }: ApiObject): string => metadata.uid as string;
const names = (): string[] => cluster.objects(`configmaps/${namespace}/`).map(({ metadata }) => metadata.name as string);
const messages = (where: string): string[] => cluster.objects(`events/${where}/`).map(({ message }) => message);
const gone = (name: string) =>
  eventually(
    () => !names().includes(name),
    () => `${name} is still there`,
  );
/** What came before a canary is under way when the canary has gone, and over when a second one has: it takes fewer writes. */
async function atRest(): Promise<void> {
  await canary();
  await canary();
}
async function canary(): Promise<void> {
  const { name } = (await configmap('canary', { ownerReferences: [{ ...CONFIGMAP, name: 'nobody', uid: ABSENT }] })).metadata;
  await gone(name as string);
}

/** References of a dependent, made when the owner `o` is there, and whether it is collected. */
const rows: readonly { name: string; references: (owner: ApiObject) => object[]; collected: boolean; left?: number }[] = [
  { name: 'the owner is there', references: (o) => [{ ...CONFIGMAP, name: 'o', uid: uidOf(o) }], collected: false, left: 1 },
  { name: 'nobody ever had that uid', references: () => [{ ...CONFIGMAP, name: 'o', uid: ABSENT }], collected: true },
  { name: 'another name', references: (o) => [{ ...CONFIGMAP, name: 'x', uid: uidOf(o) }], collected: true },
  { name: 'another kind', references: (o) => [{ apiVersion: 'v1', kind: 'Secret', name: 'o', uid: uidOf(o) }], collected: true },
  {
    name: 'a kind that is unknown',
    references: () => [{ apiVersion: 'e.com/v1', kind: 'Thing', name: 'o', uid: ABSENT }],
    collected: false,
    left: 1,
  },
  {
    name: 'a kind that is unknown, beside an owner that is missing',
    references: () => [
      { ...CONFIGMAP, name: 'x', uid: ABSENT },
      { apiVersion: 'e.com/v1', kind: 'Thing', name: 'o', uid: '2' },
    ],
    collected: false,
    left: 2,
  },
  {
    name: 'one is there, one never was',
    references: (o) => [
      { ...CONFIGMAP, name: 'x', uid: ABSENT },
      { ...CONFIGMAP, name: 'o', uid: uidOf(o) },
    ],
    collected: false,
    left: 1,
  },
];
for (const { name, references, collected, left = 0 } of rows)
  test(name, async () => {
    const owner = await configmap('o');
    await configmap('child', { ownerReferences: references(owner) });
    if (collected) return gone('child');
    await eventually(
      () => cluster.objects(`configmaps/${namespace}/child`)[0]?.metadata.ownerReferences?.length === left,
      () => JSON.stringify(cluster.objects(`configmaps/${namespace}/child`)),
    );
    await atRest();
    assert.ok(names().includes('child'));
  });

test('an owner of the cluster', async () => {
  const owner = await priorityClass('o');
  await configmap('child', { ownerReferences: [{ ...CLASS, name: `${namespace}-o`, uid: uidOf(owner) }] });
  await atRest();
  assert.ok(names().includes('child'));
  await cluster.delete('scheduling.k8s.io/v1', 'priorityclasses', { name: `${namespace}-o` });
  await gone('child');
});

test('an owner in another namespace counts as missing, and an event says why', async () => {
  const owner = await configmap('o', {}, other);
  await configmap('child', { ownerReferences: [{ ...CONFIGMAP, name: 'o', uid: uidOf(owner) }] });
  await gone('child');
  assert.equal(messages(namespace), [
    `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: o, uid: ${uidOf(owner)}] does not exist in namespace "${namespace}"`,
  ]);
  const [event] = cluster.objects(`events/${namespace}/`);
  assert.equal([event?.reason, event?.type, event?.involvedObject.name], ['OwnerRefInvalidNamespace', 'Warning', 'child']);
  assert.is(cluster.objects(`configmaps/${other}/o`).length, 1);
});

test('an object of the cluster with an owner in a namespace stays, and an event says why', async () => {
  const owner = await configmap('o');
  await priorityClass('child', { ownerReferences: [{ ...CONFIGMAP, name: 'o', uid: uidOf(owner) }] });
  const wanted = `ownerRef [v1/ConfigMap, namespace: , name: o, uid: ${uidOf(owner)}] does not exist in namespace ""`;
  await eventually(
    () => messages('default').includes(wanted),
    () => messages('default').join('\n'),
  );
  await atRest();
  assert.is(cluster.objects(`priorityclasses/${namespace}-child`).length, 1);
});

test('events are never collected', async () => {
  await cluster.create('v1', 'events', {
    metadata: { name: 'e', namespace, ownerReferences: [{ ...CONFIGMAP, name: 'o', uid: ABSENT }] },
    involvedObject: { namespace },
  });
  await atRest();
  assert.is(cluster.objects(`events/${namespace}/e`).length, 1);
});

test('a foreground deletion waits for a dependent that a finalizer holds, not for one that does not block', async () => {
  const owner = uidOf(await configmap('o'));
  const reference = { ...CONFIGMAP, name: 'o', uid: owner };
  await configmap('blocking', { finalizers: ['e.com/f'], ownerReferences: [{ ...reference, blockOwnerDeletion: true }] });
  await configmap('other', { finalizers: ['e.com/f'], ownerReferences: [reference] });
  await cluster.delete('v1', 'configmaps', { namespace, name: 'o' }, { propagationPolicy: 'Foreground' });
  await eventually(
    () => cluster.objects(`configmaps/${namespace}/`).every(({ metadata }) => metadata.deletionTimestamp !== undefined),
    () => 'not all are marked',
  );
  await atRest();
  assert.equal(names(), ['blocking', 'o', 'other']);
  await cluster.edit('v1', 'configmaps', { namespace, name: 'blocking' }, ({ metadata }) => delete metadata.finalizers);
  await eventually(
    () => names().join() === 'other',
    () => names().join(),
  );
});

test('a foreground deletion ends when its dependent blocks no longer', async () => {
  const reference = { ...CONFIGMAP, name: 'o', uid: uidOf(await configmap('o')), blockOwnerDeletion: true };
  await configmap('child', { finalizers: ['e.com/f'], ownerReferences: [reference] });
  await cluster.delete('v1', 'configmaps', { namespace, name: 'o' }, { propagationPolicy: 'Foreground' });
  await atRest();
  assert.ok(names().includes('o'));
  await cluster.edit('v1', 'configmaps', { namespace, name: 'child' }, ({ metadata }) => {
    metadata.ownerReferences = [{ ...reference, blockOwnerDeletion: false }];
  });
  await gone('o');
});

test('objects that wait for each other, in a circle of whatever length, go', async () => {
  for (const names of [['a'], ['a', 'b'], ['c', 'd', 'e']]) {
    await cluster.stop();
    const circle = await Promise.all(names.map((name) => configmap(name)));
    for (const [index, name] of names.entries()) {
      const owner = circle[(index + 1) % circle.length] as ApiObject;
      const ownerReferences = [
        { ...CONFIGMAP, name: owner.metadata.name as string, uid: owner.metadata.uid as string, blockOwnerDeletion: true },
      ];
      await cluster.edit('v1', 'configmaps', { namespace, name }, (object) => Object.assign(object.metadata, { ownerReferences }));
    }
    for (const name of names) await cluster.delete('v1', 'configmaps', { namespace, name }, { propagationPolicy: 'Foreground' });
    await cluster.start('garbagecollector');
    await eventually(
      () => cluster.objects(`configmaps/${namespace}/`).length === 0,
      () => JSON.stringify(cluster.objects(`configmaps/${namespace}/`)),
    );
  }
});

test('what a collector that had ended left undone is done by the next', async () => {
  await cluster.stop();
  const reference = { ...CONFIGMAP, name: 'o', uid: uidOf(await configmap('o')) };
  const orphaned = { ...CONFIGMAP, name: 'p', uid: uidOf(await configmap('p')) };
  await configmap('child', { ownerReferences: [reference] });
  await configmap('orphan', { ownerReferences: [orphaned] });
  await cluster.delete('v1', 'configmaps', { namespace, name: 'o' });
  await cluster.delete('v1', 'configmaps', { namespace, name: 'p' }, { propagationPolicy: 'Orphan' });
  await cluster.start('garbagecollector');
  await eventually(
    () => names().join() === 'orphan',
    () => names().join(),
  );
  assert.is(cluster.objects(`configmaps/${namespace}/orphan`)[0]?.metadata.ownerReferences, undefined);
});

test('a removal that a crash cut short after its marks is finished', async () => {
  await cluster.stop();
  const pod = await cluster.create('v1', 'pods', { metadata: { name: 'p', namespace }, spec: { containers: [{ name: 'c', image: 'i' }] } });
  pod.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  pod.metadata.deletionGracePeriodSeconds = 0;
  const { storage } = cluster.server;
  await storage.update(`pods/${namespace}/p`, Number(pod.metadata.resourceVersion), encodeStoredObject(pod, 0, []));
  const spec = { nodeName: 'n', terminationGracePeriodSeconds: 60, containers: [{ name: 'c', image: 'i' }] };
  await cluster.create('v1', 'pods', { metadata: { name: 'waits', namespace }, spec });
  await cluster.delete('v1', 'pods', { namespace, name: 'waits' });
  await cluster.start('garbagecollector');
  const left = () => cluster.objects(`pods/${namespace}/`).map(({ metadata }) => metadata.name);
  await eventually(
    () => !left().includes('p'),
    () => left().join(),
  );
  await atRest();
  assert.equal(left(), ['waits']);
});

test.run();
