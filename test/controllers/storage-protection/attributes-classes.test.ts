/** Classes of attributes that are deleted: what keeps them, and what lets them go. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually, TestCluster } from '../server.ts';

const test = suite('protection of classes of attributes');
const CONTROLLER = 'volumeattributesclass-protection-controller';
const FINALIZER = 'kubernetes.io/vac-protection';

let cluster: TestCluster;
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start(CONTROLLER);
});
test.after(() => cluster.remove());

const spec = { accessModes: ['ReadWriteOnce'] };
const create = (name: string) =>
  cluster.create('storage.k8s.io/v1beta1', 'volumeattributesclasses', { metadata: { name }, driverName: 'd', parameters: { a: 'b' } });
const remove = (name: string) => cluster.delete('storage.k8s.io/v1beta1', 'volumeattributesclasses', { name });
const found = (name: string) => cluster.objects('volumeattributesclasses/').find(({ metadata }) => metadata.name === name);
const finalizers = (name: string) => found(name)?.metadata.finalizers;
const isProtected = (name: string) =>
  eventually(
    () => finalizers(name)?.includes(FINALIZER) === true,
    () => JSON.stringify(found(name)),
  );
const isGone = (name: string) =>
  eventually(
    () => found(name) === undefined,
    () => JSON.stringify(found(name)),
  );

test('one that nobody uses goes', async () => {
  await create('free');
  await isProtected('free');
  await remove('free');
  await isGone('free');
});

test('one stays while a claim has it, or a volume', async () => {
  await create('used');
  await isProtected('used');
  const claim = { ...spec, volumeAttributesClassName: 'used', resources: { requests: { storage: '1Gi' } } };
  await cluster.create('v1', 'persistentvolumeclaims', { metadata: { name: 'c', namespace: 'n' }, spec: claim });
  const csi = { driver: 'd', volumeHandle: 'h' };
  const volume = { ...spec, volumeAttributesClassName: 'used', capacity: { storage: '1Gi' }, csi };
  await cluster.create('v1', 'persistentvolumes', { metadata: { name: 'v' }, spec: volume });
  await remove('used');
  await create('canary');
  await isProtected('canary');
  assert.equal(finalizers('used'), [FINALIZER]);
  await cluster.delete('v1', 'persistentvolumeclaims', { namespace: 'n', name: 'c' });
  await remove('canary');
  await isGone('canary');
  assert.equal(finalizers('used'), [FINALIZER]);
  await cluster.delete('v1', 'persistentvolumes', { name: 'v' });
  await isGone('used');
});

test('without its gate nothing is protected', async () => {
  const ungated = await TestCluster.create({ featureEnabled: (gate) => gate !== 'VolumeAttributesClass' });
  try {
    await ungated.start(CONTROLLER, 'pv-protection');
    await ungated.create('storage.k8s.io/v1beta1', 'volumeattributesclasses', {
      metadata: { name: 'x' },
      driverName: 'd',
      parameters: { a: 'b' },
    });
    await ungated.create('v1', 'persistentvolumes', {
      metadata: { name: 'v' },
      spec: { ...spec, capacity: { storage: '1Gi' }, hostPath: { path: '/' } },
    });
    await eventually(
      () => ungated.objects('persistentvolumes/').some(({ metadata }) => metadata.finalizers !== undefined),
      () => JSON.stringify(ungated.objects('persistentvolumes/')),
    );
    assert.is(ungated.objects('volumeattributesclasses/')[0]?.metadata.finalizers, undefined);
  } finally {
    await ungated.remove();
  }
});

test.run();
