import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Node, NodeStatus } from '../../../generated/client/core/v1/types.ts';
import { isReported, statusPatch, withOthers } from '../../../runtime/node-agent/node/node-patch.ts';
import type { WantedStatus } from '../../../runtime/node-agent/node/node-status.ts';

const GPU = 'example.org/gpu';
const wanted = (capacity: Record<string, string>, allocatable = capacity): WantedStatus => ({
  conditions: [],
  rest: { capacity, allocatable },
});
const node = (status: NodeStatus): Node => ({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'n1' }, status }) as Node;

const others = suite('resources that others have put into the capacity of a node');
const rows: [name: string, there: Record<string, string>, expected: WantedStatus][] = [
  ['an extended one stays, and pods may have all of it', { cpu: '2', [GPU]: '4' }, wanted({ cpu: '2', [GPU]: '4' })],
  ['a native one goes', { cpu: '2', 'hugepages-2Mi': '0', 'cluster.io/x': '1' }, wanted({ cpu: '2' })],
  ['none', { cpu: '2' }, wanted({ cpu: '2' })],
];
for (const [name, there, expected] of rows)
  others(name, () => assert.equal(withOthers(wanted({ cpu: '2' }), node({ capacity: there }), 'cluster.io'), expected));
others('what the agent itself knows counts as it says', () => {
  const own = wanted({ cpu: '2', [GPU]: '0' });
  assert.equal(withOthers(own, node({ capacity: { cpu: '2', [GPU]: '4' } }), 'cluster.io'), own);
});
others('what is allocatable alone goes', () => {
  const there = node({ capacity: { cpu: '2' }, allocatable: { cpu: '2', [GPU]: '1' } });
  const all = withOthers(wanted({ cpu: '2' }), there, 'cluster.io');
  assert.equal(all, wanted({ cpu: '2' }));
  assert.not(isReported(there, all));
  const patch = statusPatch(there, all.rest) as { status: { allocatable: object } };
  assert.equal(patch.status.allocatable, { cpu: '2', [GPU]: null });
});
others('a node that has just these is reported as it is', () => {
  const there = node({ capacity: { cpu: '2', [GPU]: '4' }, allocatable: { cpu: '2', [GPU]: '4' } });
  assert.ok(isReported(there, withOthers(wanted({ cpu: '2' }), there, 'cluster.io')));
});
others('a node that nobody knows yet has none', () => {
  assert.equal(withOthers(wanted({ cpu: '2' }), undefined, 'cluster.io'), wanted({ cpu: '2' }));
});
others.run();
