/** Pods on tainted nodes: which of them go, and when. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { TaintEvictionController } from '../../../runtime/controllers/taint-eviction/taint-eviction-controller.ts';
import { eventually, TestCluster } from '../server.ts';
import { TestClock } from '../test-clock.ts';

const test = suite('taint eviction');

let cluster: TestCluster;
let round = 0;
let namespace = '';
let node = '';
test.before(async () => {
  cluster = await TestCluster.create();
  await cluster.start('taint-eviction');
});
test.before.each(async () => {
  namespace = `n${++round}`;
  node = `node${round}`;
  await cluster.create('v1', 'nodes', { metadata: { name: node } });
});
test.after(() => cluster.remove());

const taint = (...keys: string[]): Promise<ApiObject> =>
  cluster.edit('v1', 'nodes', { name: node }, ({ spec }) => {
    spec.taints = keys.map((each) => ({ key: each.replace('!', ''), effect: each.endsWith('!') ? 'NoExecute' : 'NoSchedule' }));
  });
/** @param seconds undefined: for ever */
const tolerating = (key: string, seconds?: number): object => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  ...(seconds !== undefined && { tolerationSeconds: seconds }),
});
const pod = (name: string, ...tolerations: object[]): Promise<ApiObject> =>
  cluster.create('v1', 'pods', {
    metadata: { name, namespace },
    spec: { nodeName: node, tolerations, containers: [{ name: 'c', image: 'i' }] },
  });
const pods = (): ApiObject[] => cluster.objects(`pods/${namespace}/`);
/** Names of pods that are told to go. */
const going = (): string =>
  pods()
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .map(({ metadata }) => metadata.name)
    .join();
const go = (wanted: string) =>
  eventually(
    () => going() === wanted,
    () => `${going()} go, not ${wanted}`,
  );

/** What events say of pods, with how often. */
const told = (): string[] =>
  cluster
    .objects(`events/${namespace}/`)
    .map(({ message, count, reason, source }) => `${source.component} ${reason} ${message} ${count}`)
    .sort();
const tells = (...messages: string[]) =>
  eventually(
    () => JSON.stringify(told()) === JSON.stringify(messages.map((each) => `taint-eviction-controller TaintManagerEviction ${each}`)),
    () => told().join('; '),
  );
/** What they say of pods that were told to go once. */
const marked = (...names: string[]): string[] => names.map((name) => `Marking for deletion Pod ${namespace}/${name} 1`);

test('those go that do not tolerate the taint, with a condition that says why', async () => {
  await pod('bare');
  await pod('other', tolerating('other'));
  await pod('tolerant', tolerating('a'));
  await taint('a!', 'b');
  await go('bare,other');
  const { conditions } = pods()[0]?.status ?? {};
  const { lastTransitionTime, ...condition } = conditions.find(({ type }: { type: string }) => type === 'DisruptionTarget');
  assert.equal(condition, {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    reason: 'DeletionByTaintManager',
    message: 'Taint manager: deleting due to NoExecute taint',
  });
  assert.type(lastTransitionTime, 'string');
  await tells(...marked('bare', 'other'));
});

test('those of a release without that condition go without it, and are not told again', async () => {
  const earlier = await TestCluster.create({ featureEnabled: (gate) => gate !== 'PodDisruptionConditions' });
  try {
    await earlier.create('v1', 'nodes', { metadata: { name: 'n' }, spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } });
    const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
    await earlier.create('v1', 'pods', { metadata: { name: 'p', namespace: 'x' }, spec });
    await earlier.start('taint-eviction');
    const found = (): ApiObject => earlier.objects('pods/x/')[0] as ApiObject;
    await eventually(
      () => found().metadata.deletionTimestamp !== undefined,
      () => JSON.stringify(found()),
    );
    assert.equal(found().status?.conditions ?? [], []);
    const label = ({ metadata }: ApiObject): void => void Object.assign(metadata, { labels: { a: 'b' } });
    await earlier.edit('v1', 'pods', { namespace: 'x', name: 'p' }, label, 'prepared');
    await earlier.stop();
    assert.equal(
      earlier.objects('events/x/').map(({ count }) => count),
      [1],
    );
  } finally {
    await earlier.remove();
  }
});

test('one that is told to go is not told again, whatever becomes of it', async () => {
  await taint('a!');
  await pod('first');
  await go('first');
  await cluster.edit(
    'v1',
    'pods',
    { namespace, name: 'first' },
    ({ metadata }) => {
      metadata.labels = { a: 'b' };
    },
    'prepared',
  );
  await taint('a!', 'b!');
  await pod('next');
  await go('first,next');
  await tells(...marked('first', 'next'));
});

test('a taint that makes no pods go', async () => {
  await pod('a', tolerating('b'));
  await pod('bare');
  await taint('a');
  await taint('a', 'b!');
  await go('bare');
});

test('one that tolerates for a time goes after it, by the least of its tolerations', async () => {
  const clock = new TestClock();
  await cluster.stop();
  const own = new TaintEvictionController(cluster.server, clock);
  await pod('long', tolerating('a', 600), tolerating('b'));
  await pod('short', tolerating('a', 600), tolerating('b', 60));
  await taint('a!', 'b!');
  await own.list(cluster.server.storage.currentRevision());
  await eventually(
    () => clock.asked.length === 2,
    () => `${clock.asked}`,
  );
  assert.equal(clock.asked.toSorted(), [60_000, 600_000]);
  clock.advance(59_999);
  assert.is(going(), '');
  clock.advance(1);
  await go('short');
  await own.stop();
  await cluster.start('taint-eviction');
});

test('a pod that comes to a tainted node', async () => {
  await taint('a!');
  await pod('late');
  await go('late');
});

test('a pod stays when the taint goes in time, and waits anew for the next one', async () => {
  await pod('a', tolerating('a', 600));
  for (const times of [1, 2]) {
    // looked at after the other one, by their names
    await pod(`bare${times}`);
    await taint('a!');
    await go(`bare${times}`);
    await cluster.delete('v1', 'pods', { namespace, name: `bare${times}` }, { gracePeriodSeconds: 0 });
    await taint();
    await tells(`Cancelling deletion of Pod ${namespace}/a ${times}`, ...marked('bare1', 'bare2').slice(0, times));
  }
  assert.is(going(), '');
});

test('a pod stays that comes to tolerate the taint for ever, and goes at once when another taint comes', async () => {
  await pod('a', tolerating('a', 600));
  await pod('bare');
  await taint('a!');
  await go('bare');
  await cluster.edit(
    'v1',
    'pods',
    { namespace, name: 'a' },
    ({ spec }) => {
      spec.tolerations = [tolerating('a')];
    },
    'prepared',
  );
  await tells(`Cancelling deletion of Pod ${namespace}/a 1`, ...marked('bare'));
  assert.is(going(), 'bare');
  await taint('a!', 'b!');
  await go('a,bare');
});

test('one that waits and need not wait any longer is told of for both', async () => {
  await pod('a', tolerating('a', 600));
  await pod('bare');
  await taint('a!');
  await go('bare');
  await taint('a!', 'b!');
  await go('a,bare');
  await tells(`Cancelling deletion of Pod ${namespace}/a 1`, ...marked('a', 'bare'));
});

test('one that waits goes in its time though its node has gone', async () => {
  const clock = new TestClock();
  await cluster.stop();
  const own = new TaintEvictionController(cluster.server, clock);
  await pod('a', tolerating('a', 60));
  await pod('stays', tolerating('a'));
  await taint('a!');
  await own.list(cluster.server.storage.currentRevision());
  await eventually(
    () => clock.asked.includes(60_000),
    () => `${clock.asked}`,
  );
  await cluster.delete('v1', 'nodes', { name: node });
  await own.list(cluster.server.storage.currentRevision());
  clock.advance(59_999);
  assert.is(going(), '');
  clock.advance(1);
  await go('a');
  await own.stop();
  await cluster.start('taint-eviction');
});

for (const [name, recreate, events] of [
  ['has gone', false, []],
  ['comes back without taints', true, ['Cancelling']],
] as const)
  test(`a pod waits on while its node ${name}`, async () => {
    await pod('a', tolerating('a', 600));
    await pod('bare');
    await taint('a!');
    await go('bare');
    await cluster.delete('v1', 'nodes', { name: node });
    if (recreate) await cluster.create('v1', 'nodes', { metadata: { name: node } });
    // looked at after that
    const other = `${node}-other`;
    await cluster.create('v1', 'nodes', { metadata: { name: other }, spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
    await cluster.create('v1', 'pods', {
      metadata: { name: 'last', namespace },
      spec: { nodeName: other, containers: [{ name: 'c', image: 'i' }] },
    });
    await go('bare,last');
    await tells(...events.map((each) => `${each} deletion of Pod ${namespace}/a 1`), ...marked('bare', 'last'));
  });

test('taints and pods that were there before the start', async () => {
  await cluster.stop();
  await taint('a!');
  await pod('bare');
  await cluster.start('taint-eviction');
  await go('bare');
});

test('what went unheard between two listings', async () => {
  await cluster.stop();
  for (const name of ['stays', 'gone']) await pod(name, tolerating('a', 600));
  await taint('a!');
  const controller = new TaintEvictionController(cluster.server);
  try {
    const list = (): Promise<void> => controller.list(cluster.server.storage.currentRevision());
    await list();
    // looked at after those that wait
    await pod('bare');
    await list();
    await go('bare');
    await cluster.delete('v1', 'pods', { namespace, name: 'gone' }, { gracePeriodSeconds: 0 });
    await list();
    await tells(`Cancelling deletion of Pod ${namespace}/gone 1`, ...marked('bare'));
    await taint();
    await list();
    await tells(`Cancelling deletion of Pod ${namespace}/gone 1`, `Cancelling deletion of Pod ${namespace}/stays 1`, ...marked('bare'));
  } finally {
    await controller.stop();
  }
});

test.run();
