/** Statuses of quotas are what there is: from the beginning, after each change, and while writers take of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardKey } from '../../../runtime/admission/resource-quota/quota-statuses.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { GuardBroken } from '../../../runtime/storage/errors.ts';
import { eventually, SETTINGS, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';
import { withReads } from './value-reads.ts';

const test = suite('the controller of quotas');

/** Milliseconds. */
const RESYNC = 1_000_000;

let clock: TestClock;
let cluster: TestCluster;
const namespace = 'n';
test.before.each(async () => {
  clock = new TestClock(Date.now());
  cluster = await TestCluster.create({ settings: { ...SETTINGS, clock, quotaResync: RESYNC } });
});
test.after.each(() => cluster.remove());

type List = Readonly<Record<string, string>>;
const quota = (name: string, hard: List, spec: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'resourcequotas', { metadata: { name, namespace }, spec: { hard, ...spec } });
const pod = (name: string, requests: object = {}, spec: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'pods', {
    metadata: { name, namespace },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }], ...spec },
  });
const configMap = (name: string, of = namespace) => cluster.create('v1', 'configmaps', { metadata: { name, namespace: of } });
const status = (name: string): ApiObject['status'] => cluster.objects(`resourcequotas/${namespace}/${name}`)[0]?.status;
const setUsed = (name: string, used: List) =>
  cluster.edit('v1', 'resourcequotas', { namespace, name }, (object) => (object.status = { ...object.status, used }), 'status');

/** Time goes on until a quota says so. */
function says(name: string, used: List): Promise<void> {
  const wanted = JSON.stringify(used);
  return eventually(
    () => {
      clock.advance(50);
      return JSON.stringify(status(name)?.used) === wanted;
    },
    () => `${JSON.stringify(status(name))} does not say ${wanted}`,
  );
}

test('a new quota says what there is, whether it or the objects came first', async () => {
  await pod('a', { cpu: '100m' });
  await configMap('a');
  await configMap('b', 'other');
  await quota('before', { pods: '5', 'requests.cpu': '1', 'count/configmaps': '2', 'count/deployments.apps': '1' });
  await cluster.start('resourcequota');
  const used = { 'count/configmaps': '1', 'count/deployments.apps': '0', pods: '1', 'requests.cpu': '100m' };
  await says('before', used);
  assert.equal(status('before').hard, { 'count/configmaps': '2', 'count/deployments.apps': '1', pods: '5', 'requests.cpu': '1' });
  await quota('after', { 'count/pods': '5', configmaps: '1' });
  await says('after', { configmaps: '1', 'count/pods': '1' });
});

test('a quota goes on to say what there is where the clock is set back', async () => {
  await quota('q', { configmaps: '9' });
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0' });
  clock.set(-6 * 3_600_000);
  await configMap('a');
  await says('q', { configmaps: '1' });
});

test('what comes and goes is counted, and what ends', async () => {
  await quota('q', { 'count/pods': '9', pods: '9', 'services.nodeports': '9', 'requests.storage': '9Gi' });
  await cluster.start('resourcequota');
  await says('q', { 'count/pods': '0', pods: '0', 'requests.storage': '0', 'services.nodeports': '0' });
  await pod('a');
  await pod('b');
  const ports = [{ port: 80, nodePort: 30_080 }];
  await cluster.create('v1', 'services', { metadata: { name: 's', namespace }, spec: { type: 'NodePort', ports } });
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  await cluster.create('v1', 'persistentvolumeclaims', { metadata: { name: 'c', namespace }, spec });
  await says('q', { 'count/pods': '2', pods: '2', 'requests.storage': '1Gi', 'services.nodeports': '1' });
  await cluster.edit('v1', 'pods', { namespace, name: 'a' }, (object) => (object.status.phase = 'Succeeded'), 'status');
  await says('q', { 'count/pods': '2', pods: '1', 'requests.storage': '1Gi', 'services.nodeports': '1' });
  await cluster.delete('v1', 'pods', { namespace, name: 'a' }, { gracePeriodSeconds: 0 });
  await cluster.delete('v1', 'services', { namespace, name: 's' });
  await says('q', { 'count/pods': '1', pods: '1', 'requests.storage': '1Gi', 'services.nodeports': '0' });
});

test('a pod that should have ended counts no more, though nobody writes it', async () => {
  await quota('q', { pods: '9' });
  await pod('a', {}, { nodeName: 'lost' });
  await cluster.start('resourcequota');
  await says('q', { pods: '1' });
  await cluster.delete('v1', 'pods', { namespace, name: 'a' }, { gracePeriodSeconds: 30 });
  await eventually(
    () => {
      clock.advance(10);
      return clock.asked.some((each) => each > 50_000 && each < 70_000);
    },
    () => `nobody waits until the pod has had its time twice: ${clock.asked}`,
  );
  assert.equal(status('q').used, { pods: '1' });
  clock.advance(62_000);
  await says('q', { pods: '0' });
});

test('a quota that is changed says what it limits now', async () => {
  await quota('q', { pods: '9', configmaps: '9' });
  await pod('a');
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0', pods: '1' });
  await cluster.edit('v1', 'resourcequotas', { namespace, name: 'q' }, (object) => (object.spec.hard = { pods: '1', secrets: '2' }));
  await says('q', { pods: '1', secrets: '0' });
  assert.equal(status('q').hard, { pods: '1', secrets: '2' });
});

test('pods outside of the scopes do not count', async () => {
  await quota('mortal', { pods: '9' }, { scopes: ['Terminating'] });
  await quota(
    'high',
    { pods: '9' },
    { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] } },
  );
  await pod('a', {}, { activeDeadlineSeconds: 5 });
  await pod('b', {}, { priorityClassName: 'high' });
  await pod('c', {}, { priorityClassName: 'high' });
  await cluster.start('resourcequota');
  await says('mortal', { pods: '1' });
  await says('high', { pods: '2' });
});

test('what was taken and never stored is given back, and could not be stored any longer', async () => {
  await quota('q', { configmaps: '3' });
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0' });
  const { storage } = cluster.server;
  const key = guardKey(namespace);
  const guard = { key, revision: storage.revisionOf(key) };
  await setUsed('q', { configmaps: '2' });
  await configMap('a');
  await says('q', { configmaps: '1' });
  const late = storage.create(`configmaps/${namespace}/late`, { bytes: Buffer.from('{}'), revisionOffset: -1 }, guard).then(
    () => undefined,
    (error) => error,
  );
  assert.instance(await late, GuardBroken);
});

test('objects that nobody counted are counted', async () => {
  await quota('q', { configmaps: '1' });
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0' });
  for (const name of ['a', 'b', 'c']) await configMap(name);
  await says('q', { configmaps: '3' });
});

test('quotas of one namespace do not keep each other from what they are to say', async () => {
  const names = Array.from({ length: 8 }, (_, index) => `q${index}`);
  for (const name of names) await quota(name, { configmaps: '9' });
  await configMap('a');
  await cluster.start('resourcequota');
  for (const name of names) await says(name, { configmaps: '1' });
  await Promise.all(['b', 'c', 'd'].map((name) => configMap(name)));
  for (const name of names) await says(name, { configmaps: '4' });
});

test('every quota is looked at from time to time, whatever was missed', async () => {
  await quota('q', { configmaps: '1' });
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0' });
  clock.asked.length = 0;
  clock.advance(RESYNC);
  await eventually(
    () => clock.asked.includes(RESYNC),
    () => `no look comes after ${RESYNC} ms: ${clock.asked}`,
  );
});

test('a look reads the objects that were written since the last one, and those alone', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`).sort();
  for (const name of names) await pod(name, { cpu: '1' });
  await quota('q', { 'requests.cpu': '99', configmaps: '9' });
  const reads = podReads();
  await cluster.start('resourcequota');
  await says('q', { configmaps: '0', 'requests.cpu': '20' });
  assert.equal(reads(), names, 'each is read once, also where the quota is corrected');
  await configMap('a');
  await says('q', { configmaps: '1', 'requests.cpu': '20' });
  await quota('other', { pods: '9' });
  await says('other', { pods: '20' });
  assert.equal(reads(), names, 'a quota does not know what another one knows');
  await pod('new', { cpu: '2' });
  await cluster.delete('v1', 'pods', { namespace, name: 'p1' }, { gracePeriodSeconds: 0 });
  await says('q', { configmaps: '1', 'requests.cpu': '21' });
  await says('other', { pods: '20' });
  await cluster.edit('v1', 'resourcequotas', { namespace, name: 'q' }, (object) => (object.spec.hard = { 'limits.cpu': '1' }));
  await says('q', { 'limits.cpu': '0' });
  assert.equal(reads(), ['new', 'new'], 'once for each quota');
  await cluster.delete('v1', 'resourcequotas', { namespace, name: 'q' });
  await quota('q', { 'requests.cpu': '99' });
  await says('q', { 'requests.cpu': '21' });
  assert.is(reads().length, 20, 'nothing is remembered of a quota that has gone');
});

/** Notes from now on which pods are read of ranges of the store. @returns gives the names of those since the last call */
function podReads(): () => string[] {
  const { storage } = cluster.server;
  const noting = withReads(storage);
  storage.range = (options) => noting.storage.range(options);
  const prefix = `pods/${namespace}/`;
  return () =>
    noting.keys
      .splice(0)
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length))
      .sort();
}

test('the guard goes with the last quota of a namespace, also while nobody looks', async () => {
  await quota('a', { configmaps: '1' });
  await quota('b', { configmaps: '1' });
  await cluster.start('resourcequota');
  await says('a', { configmaps: '0' });
  await says('b', { configmaps: '0' });
  const hasGuard = () => cluster.server.storage.revisionOf(guardKey(namespace)) !== undefined;
  const guardGoes = () =>
    eventually(
      () => {
        clock.advance(50);
        return !hasGuard();
      },
      () => 'the guard is still there',
    );
  await cluster.delete('v1', 'resourcequotas', { namespace, name: 'a' });
  await configMap('x');
  await says('b', { configmaps: '1' });
  assert.ok(hasGuard());
  await cluster.delete('v1', 'resourcequotas', { namespace, name: 'b' });
  await guardGoes();
  await quota('c', { configmaps: '1' });
  await says('c', { configmaps: '1' });
  await cluster.stop();
  await cluster.delete('v1', 'resourcequotas', { namespace, name: 'c' });
  await cluster.start('resourcequota');
  await guardGoes();
});

test.run();
