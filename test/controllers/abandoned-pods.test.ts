/** Deleted pods: which of them go without a word from a node, and when. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { eventually, TestCluster } from './server.ts';

const test = suite('abandoned pods');

let cluster: TestCluster;
let round = 0;
let namespace = '';
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start('podgc');
});
test.before.each(() => {
  namespace = `n${++round}`;
});
test.after(() => cluster.remove());

const node = (name: string): Promise<ApiObject> => cluster.create('v1', 'nodes', { metadata: { name } });
const pod = (name: string, nodeName: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'pods', { metadata: { name, namespace, ...metadata }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } });
/** @param gracePeriodSeconds 1: over after a second */
const deletePod = (name: string, gracePeriodSeconds = 1) => cluster.delete('v1', 'pods', { namespace, name }, { gracePeriodSeconds });
const pods = (): ApiObject[] => cluster.objects(`pods/${namespace}/`);
const names = (): string =>
  pods()
    .map(({ metadata }) => metadata.name)
    .join();
const left = (wanted: string) =>
  eventually(
    () => names() === wanted,
    () => `${names()} are left, not ${wanted}`,
  );

test('those whose node is not there go when their grace period is over; living ones, and those of a node that is there, stay', async () => {
  await node('there');
  for (const name of ['going', 'living', 'long']) await pod(name, 'nowhere');
  await pod('waiting', 'there');
  await deletePod('going');
  await deletePod('long', 600);
  await deletePod('waiting');
  const deadline = Math.max(
    ...pods().map(({ metadata }) => (metadata.name === 'going' ? Date.parse(metadata.deletionTimestamp as string) : 0)),
  );
  await left('living,long,waiting');
  assert.ok(Date.now() >= deadline, 'it went before its time');
  await sleep(30);
  assert.is(names(), 'living,long,waiting');
  await cluster.delete('v1', 'nodes', { name: 'there' });
  await left('living,long');
});

test('one that a finalizer holds is marked: it has failed, and its time is up', async () => {
  await pod('held', 'nowhere', { finalizers: ['e.com/f'] });
  await deletePod('held');
  await eventually(
    () => pods()[0]?.metadata.deletionGracePeriodSeconds === 0,
    () => JSON.stringify(pods()),
  );
  const { phase, conditions } = pods()[0]?.status ?? {};
  assert.is(phase, 'Failed');
  const { lastTransitionTime, ...condition } = conditions.find(({ type }: { type: string }) => type === 'DisruptionTarget');
  assert.equal(condition, {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastProbeTime: null,
  });
  assert.type(lastTransitionTime, 'string');
});

test('what was deleted before the start is found', async () => {
  await pod('going', 'nowhere');
  await cluster.stop();
  await deletePod('going');
  await cluster.start('podgc');
  await left('');
});

test.run();
