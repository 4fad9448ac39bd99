/** Pods on nodes that are not ready. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { UnreadyPods } from '../../../runtime/controllers/node-lifecycle/unready-pods.ts';
import { PodsOfNodes } from '../../../runtime/controllers/pods-of-nodes/pods-of-nodes.ts';
import { EventRecorder } from '../../../runtime/controllers/writes/event-recorder.ts';
import { eventually, TestCluster } from '../server.ts';

const test = suite('pods of nodes that are not ready');

let cluster: TestCluster;
test.before.each(async () => {
  cluster = await TestCluster.create();
});
test.after.each(() => cluster.remove());

async function pod(name: string, nodeName: string, conditions: object[]): Promise<void> {
  const containers = [{ name: 'c', image: 'i' }];
  await cluster.create('v1', 'pods', { metadata: { name, namespace: 'n' }, spec: { nodeName, containers } });
  const state = ({ status }: ApiObject): void => {
    status.conditions = conditions;
  };
  await cluster.edit('v1', 'pods', { namespace: 'n', name }, state, 'prepared');
}

const SINCE = '2020-01-01T00:00:00Z';
const ready = (status: string): object => ({ type: 'Ready', status, reason: 'R', message: 'm', lastTransitionTime: SINCE });
const conditions = (name: string): { type: string; status: string; lastTransitionTime?: string }[] =>
  cluster.server.objects.get('pods', 'n', name)?.status.conditions ?? [];
const said = (name: string): string =>
  conditions(name)
    .map(({ type, status, lastTransitionTime }) => `${type} ${status}${lastTransitionTime === SINCE ? '' : ' now'}`)
    .join();

test('those that say that they are ready are marked; others, and those of other nodes, stay as they are', async () => {
  await pod('other', 'good', [ready('True')]);
  await pod('unknown', 'bad', [ready('Unknown')]);
  await pod('unready', 'bad', [ready('False')]);
  await pod('mute', 'bad', [{ type: 'Initialized', status: 'True', lastTransitionTime: SINCE }]);
  await pod('ready', 'bad', [{ type: 'Initialized', status: 'True', lastTransitionTime: SINCE }, ready('True')]);
  const pods = new PodsOfNodes(cluster.server);
  const events = new EventRecorder(cluster.server, 'me');
  const unready = new UnreadyPods(cluster.server, pods, events, (node) => node === 'bad');
  unready.addNode('good');
  unready.add('pods/n/other');
  unready.add('pods/n/nowhere');
  unready.addNode('bad');
  await eventually(
    () => said('ready') === 'Initialized True,Ready False now' && said('unknown') === 'Ready False now',
    () => ['ready', 'unknown'].map(said).join('; '),
  );
  await unready.stop();
  await events.stop();
  assert.equal(['other', 'unready', 'mute'].map(said), ['Ready True', 'Ready False', 'Initialized True']);
});

test('the pods of a node are found by its name', async () => {
  for (const [name, node] of [
    ['a', 'x'],
    ['b', 'xy'],
    ['c', ''],
    ['d', 'x'],
  ] as const)
    await pod(name, node, []);
  const pods = new PodsOfNodes(cluster.server);
  assert.equal(await pods.keys('x'), ['pods/n/a', 'pods/n/d']);
  assert.equal(await pods.keys('nowhere'), []);
});

test.run();
