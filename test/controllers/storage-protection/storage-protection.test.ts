/** Volumes and claims that are deleted: what keeps them, and what lets them go. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('protection of storage in use');

const CLAIM = 'kubernetes.io/pvc-protection';
const VOLUME = 'kubernetes.io/pv-protection';

let cluster: TestCluster;
let round = 0;
let namespace = '';
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start('pvc-protection', 'pv-protection');
});
test.before.each(() => {
  namespace = `n${++round}`;
});
test.after(() => cluster.remove());

const claim = (name: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'persistentvolumeclaims', {
    metadata: { name, namespace, finalizers: [CLAIM], ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
const volume = (name: string): Promise<ApiObject> =>
  cluster.create('v1', 'persistentvolumes', {
    metadata: { name, finalizers: [VOLUME] },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/tmp' } },
  });
const pod = (name: string, source: object, spec: object = { nodeName: 'node' }, where = namespace): Promise<ApiObject> =>
  cluster.create('v1', 'pods', {
    metadata: { name, namespace: where },
    spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', ...source }], ...spec },
  });
const mounting = (claimName: string) => ({ persistentVolumeClaim: { claimName } });
const OWN = {
  ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
};

const claimNames = (): (string | undefined)[] =>
  cluster.objects(`persistentvolumeclaims/${namespace}/`).map(({ metadata }) => metadata.name);
const deleteClaim = (name: string) => cluster.delete('v1', 'persistentvolumeclaims', { namespace, name });
const deletePod = (name: string) => cluster.delete('v1', 'pods', { namespace, name }, { gracePeriodSeconds: 0 });
const gone = () =>
  eventually(
    () => claimNames().length === 0,
    () => `${claimNames()} are still there`,
  );
/** What came before a canary is under way when the canary has gone, and over when a second one has: it takes fewer writes. */
async function atRest(): Promise<void> {
  await canary();
  await canary();
}
async function canary(): Promise<void> {
  await claim('canary');
  await volume('canary');
  await deleteClaim('canary');
  await cluster.delete('v1', 'persistentvolumes', { name: 'canary' });
  await eventually(
    () => !claimNames().includes('canary') && cluster.objects('persistentvolumes/canary').length === 0,
    () => 'a canary is still there',
  );
}
async function stays(name: string): Promise<void> {
  await atRest();
  assert.equal(claimNames(), [name]);
}

test('a claim that nobody mounts goes', async () => {
  await claim('a');
  await deleteClaim('a');
  await gone();
});

test('a claim stays until the last pod on a node that mounts it has gone', async () => {
  await claim('a');
  await pod('one', mounting('a'));
  await pod('two', mounting('a'));
  await deleteClaim('a');
  await stays('a');
  await deletePod('one');
  await stays('a');
  await deletePod('two');
  await gone();
});

test('a pod without a node, one that mounts another claim, one in another namespace: they keep nothing', async () => {
  await claim('a');
  await pod('waiting', mounting('a'), {});
  await pod('other', mounting('b'));
  await pod('elsewhere', mounting('a'), { nodeName: 'node' }, 'elsewhere');
  await deleteClaim('a');
  await gone();
});

test('a claim of a pod of its own stays until the node is done with the pod', async () => {
  const { metadata } = await pod('one', OWN);
  await claim('one-v', { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'one', uid: metadata.uid, controller: true }] });
  await cluster.edit('v1', 'pods', { namespace, name: 'one' }, (object) => {
    object.metadata.finalizers = ['e.com/f'];
  });
  await deleteClaim('one-v');
  await stays('one-v');
  await deletePod('one');
  await gone();
});

test('a claim that only has the name of one that a pod would own goes', async () => {
  await pod('one', OWN);
  await claim('one-v');
  await deleteClaim('one-v');
  await gone();
});

test('other finalizers are left alone', async () => {
  await claim('a', { finalizers: ['e.com/a', CLAIM, 'e.com/b'] });
  await deleteClaim('a');
  await eventually(
    () => cluster.objects(`persistentvolumeclaims/${namespace}/a`)[0]?.metadata.finalizers?.join() === 'e.com/a,e.com/b',
    () => JSON.stringify(cluster.objects(`persistentvolumeclaims/${namespace}/a`)),
  );
});

test('what lives without the finalizer gets it, and gets it back', async () => {
  const finalizers = () => cluster.objects(`persistentvolumeclaims/${namespace}/a`)[0]?.metadata.finalizers?.join();
  const arrives = (wanted: string) =>
    eventually(
      () => finalizers() === wanted,
      () => String(finalizers()),
    );
  await claim('a', { finalizers: ['e.com/a'] });
  await arrives(`e.com/a,${CLAIM}`);
  await cluster.edit('v1', 'persistentvolumeclaims', { namespace, name: 'a' }, ({ metadata }) => delete metadata.finalizers);
  await arrives(CLAIM);
});

test('a volume stays while it is bound', async () => {
  const phase = (text: string) =>
    cluster.edit('v1', 'persistentvolumes', { name: namespace }, (object) => (object.status = { phase: text }), 'status');
  const volumes = () => cluster.objects(`persistentvolumes/${namespace}`);
  await volume(namespace);
  await phase('Bound');
  await cluster.delete('v1', 'persistentvolumes', { name: namespace });
  await atRest();
  assert.equal(
    volumes().map(({ metadata }) => metadata.finalizers),
    [[VOLUME]],
  );
  await phase('Released');
  await eventually(
    () => volumes().length === 0,
    () => JSON.stringify(volumes()),
  );
});

test('what came before the start is found, and what a pod that went meanwhile had kept', async () => {
  await claim('free');
  await claim('kept');
  await pod('one', mounting('kept'));
  await deleteClaim('kept');
  await atRest();
  await cluster.stop();
  await deleteClaim('free');
  await deletePod('one');
  await cluster.start('pvc-protection', 'pv-protection');
  await gone();
});

test.run();
