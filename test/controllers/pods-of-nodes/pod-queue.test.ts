/** Pods that wait for work, by their keys and by their nodes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PodQueue } from '../../../runtime/controllers/pods-of-nodes/pod-queue.ts';
import type { PodsOfNodes } from '../../../runtime/controllers/pods-of-nodes/pods-of-nodes.ts';
import { eventually } from '../server.ts';

const test = suite('a queue of pods');

const ON_NODES: Readonly<Record<string, readonly string[]>> = { x: ['pods/n/a', 'pods/n/b'], y: ['pods/n/c'], empty: [] };

test('those of a node come by its name, also where they are not found at first', async () => {
  let failures = 1;
  const pods = {
    async keys(node: string) {
      if (node === 'y' && failures-- > 0) throw new Error('not now');
      return ON_NODES[node];
    },
  } as unknown as PodsOfNodes;
  const processed: string[] = [];
  const failed: string[] = [];
  const queue = new PodQueue(pods, {
    name: 'pods',
    metrics: undefined,
    workers: 2,
    process: async (key) => void processed.push(key),
    failed: (key) => void failed.push(key),
  });
  queue.add('pods/n/d');
  for (const node of Object.keys(ON_NODES)) queue.addNode(node);
  queue.addAfter('pods/n/e', 1);
  await eventually(
    () => processed.length === 5,
    () => processed.join(),
  );
  await queue.stop();
  assert.equal(
    processed.sort(),
    ['a', 'b', 'c', 'd', 'e'].map((name) => `pods/n/${name}`),
  );
  assert.equal(failed, ['/y']);
});

test.run();
