/** Objects of any served kind, in the version that is asked for, read again only when they were written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { ObjectsOfKinds } from '../../../runtime/registry/resource-store/objects-of-kinds.ts';
import { TestCluster } from '../../controllers/server.ts';

const test = suite('objects of kinds');

let cluster: TestCluster;
let kinds: ObjectsOfKinds;
test.before(async () => {
  cluster = await TestCluster.create();
  const { storage, registry } = cluster.server;
  kinds = new ObjectsOfKinds(storage, registry, (resource) => cluster.server.store(resource));
});
test.after(() => cluster.remove());

const put = (namespace: string, name: string, labels: object = {}, data: object = {}) =>
  cluster.create('v1', 'configmaps', { metadata: { namespace, name, labels }, data });
const maps = () => kinds.of('v1', 'ConfigMap') as NonNullable<ReturnType<ObjectsOfKinds['of']>>;
const names = (found: readonly ApiObject[]) => found.map(({ metadata }) => metadata.name);

test('are found by the kinds that are served and stored', () => {
  assert.is(maps().namespaced, true);
  assert.is(kinds.of('v1', 'Namespace')?.namespaced, false);
  assert.is(kinds.of('v1', 'ConfigMap'), maps());
  for (const [apiVersion, kind] of [
    ['v1', 'Nothing'],
    ['v2', 'ConfigMap'],
    ['authorization.k8s.io/v1', 'SubjectAccessReview'],
    ['', ''],
  ] as const)
    assert.is(kinds.of(apiVersion, kind), undefined, `${apiVersion} ${kind}`);
});

test('one is the same until it is written, and gone when it is deleted', async () => {
  await put('a', 'one', {}, { k: '1' });
  const first = await maps().get('a', 'one');
  assert.equal(first?.data, { k: '1' });
  assert.is(maps().get('a', 'one'), first);
  await put('a', 'other');
  assert.is(maps().get('a', 'one'), first);
  await cluster.edit('v1', 'configmaps', { namespace: 'a', name: 'one' }, (object) => {
    object.data = { k: '2' };
  });
  const second = await maps().get('a', 'one');
  assert.equal(second?.data, { k: '2' });
  assert.equal(first?.data, { k: '1' });
  await cluster.delete('v1', 'configmaps', { namespace: 'a', name: 'one' });
  assert.is(await maps().get('a', 'one'), undefined);
  assert.is(await maps().get('b', 'other'), undefined);
});

test('a list is the same until something of its namespace is written', async () => {
  const selector = { matchLabels: { p: 'x' } };
  for (const name of ['l3', 'l1', 'l2']) await put('list', name, { p: 'x' });
  await put('list', 'l0', { p: 'y' });
  const first = await maps().selected('list', selector);
  assert.equal(names(first), ['l1', 'l2', 'l3']);
  await put('elsewhere', 'l4', { p: 'x' });
  await cluster.create('v1', 'namespaces', { metadata: { name: 'n' } });
  assert.is(await maps().selected('list', selector), first);
  assert.equal(names(await maps().selected('elsewhere', selector)), ['l4']);
  await cluster.delete('v1', 'configmaps', { namespace: 'list', name: 'l2' });
  assert.equal(names(await maps().selected('list', selector)), ['l1', 'l3']);
  assert.equal(names(await maps().selected('list', {})), ['l0', 'l1', 'l3']);
  assert.equal(names(await maps().selected('empty', {})), []);
});

test('lists of more than one piece are whole', async () => {
  for (let index = 0; index < 1_100; index++)
    await put('many', `m${String(index).padStart(4, '0')}`, { even: index % 2 === 0 ? 'yes' : 'no' });
  const found = await maps().selected('many', { matchLabels: { even: 'yes' } });
  assert.is(found.length, 550);
  assert.equal(names(found.slice(-1)), ['m1098']);
});

test('have the form of the version that is asked for', async () => {
  const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' } };
  const target = { type: 'Utilization', averageUtilization: 90 };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  await cluster.create('autoscaling/v2', 'horizontalpodautoscalers', {
    metadata: { namespace: 'a', name: 'h' },
    spec: { ...spec, metrics },
  });
  const [old, now] = [
    await kinds.of('autoscaling/v1', 'HorizontalPodAutoscaler')?.get('a', 'h'),
    await kinds.of('autoscaling/v2', 'HorizontalPodAutoscaler')?.get('a', 'h'),
  ];
  assert.is(old?.apiVersion, 'autoscaling/v1');
  assert.is(old?.spec.targetCPUUtilizationPercentage, 90);
  assert.equal(now?.spec.metrics, metrics);
});

test.run();
