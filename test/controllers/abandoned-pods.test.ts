/** Deleted pods: which of them go without a word from a node, and when. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../runtime/contract/object.ts';
import { eventually, SETTINGS, TestCluster } from './server.ts';
import { TestClock } from './test-clock.ts';

const test = suite('abandoned pods');

let clock: TestClock;
let cluster: TestCluster;
const namespace = 'n';
test.before.each(async () => {
  clock = new TestClock(Date.now());
  cluster = await TestCluster.create({ settings: { ...SETTINGS, clock } });
  await cluster.start('podgc');
});
test.after.each(() => cluster.remove());

const node = (name: string): Promise<ApiObject> => cluster.create('v1', 'nodes', { metadata: { name } });
const pod = (name: string, nodeName: string, metadata: object = {}): Promise<ApiObject> =>
  cluster.create('v1', 'pods', { metadata: { name, namespace, ...metadata }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }] } });
const deletePod = (name: string, gracePeriodSeconds = 30) => cluster.delete('v1', 'pods', { namespace, name }, { gracePeriodSeconds });
const pods = (): ApiObject[] => cluster.objects(`pods/${namespace}/`);
const names = (): string => cluster.names('pods/n/');
const left = (wanted: string): Promise<void> => cluster.left('pods/n/', wanted);

/** Milliseconds until the pod's grace period is over. */
const graceOf = (name: string): number => {
  const pod = pods().find(({ metadata }) => metadata.name === name);
  return Date.parse(pod?.metadata.deletionTimestamp as string) - clock.date();
};
/** Deletes a pod without a node, and returns when somebody waits for the end of its grace period. */
async function deleteLost(name: string, gracePeriodSeconds?: number): Promise<void> {
  clock.asked.length = 0;
  await deletePod(name, gracePeriodSeconds);
  await eventually(
    () => clock.asked.includes(graceOf(name)),
    () => `nobody waits ${graceOf(name)} ms: ${clock.asked}`,
  );
}

test('those whose node is not there go when their grace period is over; living ones, and those of a node that is there, stay', async () => {
  await node('there');
  for (const name of ['going', 'living', 'long', 'next']) await pod(name, 'nowhere');
  await pod('waiting', 'there');
  await deletePod('waiting');
  await deleteLost('long', 600);
  await deleteLost('next', 40);
  await deleteLost('going');
  clock.advance(graceOf('going') - 1);
  assert.is(names(), 'going,living,long,next,waiting');
  clock.advance(1);
  await left('living,long,next,waiting');
  clock.advance(graceOf('next'));
  await left('living,long,waiting');
  await cluster.delete('v1', 'nodes', { name: 'there' });
  await left('living,long');
});

test('one that a finalizer holds is marked: it has failed, and its time is up', async () => {
  await pod('held', 'nowhere', { finalizers: ['e.com/f'] });
  await deleteLost('held');
  clock.advance(graceOf('held'));
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

for (const [name, nodeName, gracePeriodSeconds, types] of [
  ['without a node', '', 30, []],
  ['whose node has gone', 'nowhere', 0, ['DisruptionTarget']],
] as const)
  test(`one ${name} that a finalizer alone holds has failed`, async () => {
    await pod('held', nodeName, { finalizers: ['e.com/f'] });
    await deletePod('held', gracePeriodSeconds);
    // the machine's clock goes on, and may have reached the next second meanwhile
    clock.advance(Math.max(0, graceOf('held')));
    await eventually(
      () => pods()[0]?.status?.phase === 'Failed',
      () => JSON.stringify(pods()),
    );
    const { metadata, status } = pods()[0] as ApiObject;
    assert.is(metadata.deletionGracePeriodSeconds, 0);
    assert.equal(
      (status.conditions ?? []).map(({ type }: { type: string }) => type),
      types,
    );
  });

const GATES = ['PodDisruptionConditions', 'JobPodReplacementPolicy'];
for (const [on, expected] of [
  [[], ['Pending', []]],
  [['PodDisruptionConditions'], ['Failed', ['DisruptionTarget']]],
  [['JobPodReplacementPolicy'], ['Failed', []]],
] as const)
  test(`one is marked as far as the release does that: ${on.join() || 'not at all'}`, async () => {
    await cluster.remove();
    const featureEnabled = (gate: string): boolean => !GATES.includes(gate) || (on as readonly string[]).includes(gate);
    cluster = await TestCluster.create({ settings: { ...SETTINGS, clock }, featureEnabled });
    await cluster.start('podgc');
    await pod('held', 'nowhere', { finalizers: ['e.com/f'] });
    await deleteLost('held');
    clock.advance(graceOf('held'));
    await eventually(
      () => pods()[0]?.metadata.deletionGracePeriodSeconds === 0,
      () => JSON.stringify(pods()),
    );
    const { phase, conditions = [] } = pods()[0]?.status ?? {};
    assert.equal([phase, conditions.map(({ type }: { type: string }) => type)], expected);
  });

test('what was deleted before the start is found', async () => {
  await pod('going', 'nowhere');
  await cluster.stop();
  await deletePod('going');
  clock.advance(graceOf('going'));
  await cluster.start('podgc');
  await left('');
});

test.run();
