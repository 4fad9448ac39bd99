/** Taints by conditions. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { type Execution, NodeTaints, type Taint } from '../../../runtime/controllers/node-lifecycle/node-taints.ts';
import { identity } from '../../kinds/context.ts';

const taints = new NodeTaints(identity.text);
const NOW = Date.parse('2026-01-01T00:00:00Z');

/** @param conditions such as `Ready=True` */
function node(conditions: string, present: readonly Taint[] = [], unschedulable = false): ApiObject {
  const stated = conditions.split(' ').filter((each) => each !== '');
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'x' },
    spec: { ...(present.length > 0 && { taints: present }), ...(unschedulable && { unschedulable }) },
    status: { conditions: stated.map((each) => ({ type: each.split('=')[0], status: each.split('=')[1] })) },
  };
}

/** `not-ready:NoExecute` of ours, `+` before it where it is new, or one of somebody else's. */
const text = ({ key, effect, timeAdded }: Taint): string =>
  `${timeAdded === '2026-01-01T00:00:00Z' ? '+' : ''}${key.replace('node.kubernetes.io/', '')}:${effect}`;
const taint = (short: string): Taint => {
  const [key = '', effect = ''] = short.split(':');
  return { key: key.includes('.') ? key : `node.kubernetes.io/${key}`, effect, timeAdded: '2020-01-01T00:00:00Z' };
};
const all = (shorts: string): Taint[] =>
  shorts
    .split(' ')
    .filter((each) => each !== '')
    .map(taint);

const test = suite('taints of nodes');
const rows: [name: string, conditions: string, present: string, execution: Execution, wanted: string][] = [
  ['nothing is said', '', '', 'keep', ''],
  ['a new node loses the taint of new ones while it says nothing, as in 1.32', '', 'not-ready:NoSchedule', 'keep', ''],
  ['ready', 'Ready=True MemoryPressure=False DiskPressure=False', '', 'keep', ''],
  ['not ready', 'Ready=False', '', 'keep', '+not-ready:NoSchedule'],
  ['nothing known', 'Ready=Unknown', '', 'keep', '+unreachable:NoSchedule'],
  ['unknown pressure is none', 'Ready=True MemoryPressure=Unknown', '', 'keep', ''],
  [
    'each condition its own, in their order',
    'NetworkUnavailable=True MemoryPressure=True DiskPressure=True PIDPressure=True Ready=True',
    '',
    'keep',
    '+network-unavailable:NoSchedule +memory-pressure:NoSchedule +disk-pressure:NoSchedule +pid-pressure:NoSchedule',
  ],
  ['a wrong one is swapped', 'Ready=Unknown', 'not-ready:NoSchedule', 'keep', '+unreachable:NoSchedule'],
  ['a right one stays as it is', 'Ready=False', 'not-ready:NoSchedule', 'keep', 'not-ready:NoSchedule'],
  ['others stay', 'Ready=True', 'e.com/x:NoExecute e.com/x:NoSchedule', 'keep', 'e.com/x:NoExecute e.com/x:NoSchedule'],
  [
    'other effects of our keys stay',
    'Ready=True',
    'not-ready:PreferNoSchedule memory-pressure:NoExecute',
    'keep',
    'not-ready:PreferNoSchedule memory-pressure:NoExecute',
  ],
  ['its turn: not ready', 'Ready=False', 'not-ready:NoSchedule', 'add', 'not-ready:NoSchedule +not-ready:NoExecute'],
  ['its turn: nothing known', 'Ready=Unknown', '', 'add', '+unreachable:NoSchedule +unreachable:NoExecute'],
  ['its turn, but it is ready again', 'Ready=True', '', 'add', ''],
  ['its turn, but it says nothing', '', '', 'add', ''],
  ['it has one', 'Ready=False', 'not-ready:NoSchedule not-ready:NoExecute', 'add', 'not-ready:NoSchedule not-ready:NoExecute'],
  [
    'the wrong one is swapped at once',
    'Ready=False',
    'not-ready:NoSchedule unreachable:NoExecute',
    'keep',
    'not-ready:NoSchedule +not-ready:NoExecute',
  ],
  [
    'and the other way',
    'Ready=Unknown',
    'unreachable:NoSchedule not-ready:NoExecute',
    'keep',
    'unreachable:NoSchedule +unreachable:NoExecute',
  ],
  [
    'of both the right one stays',
    'Ready=Unknown',
    'unreachable:NoSchedule not-ready:NoExecute unreachable:NoExecute',
    'keep',
    'unreachable:NoSchedule unreachable:NoExecute',
  ],
  ['ready again', 'Ready=True', 'unreachable:NoSchedule unreachable:NoExecute not-ready:NoExecute', 'keep', ''],
  ['a disruption of everything', 'Ready=Unknown', 'unreachable:NoSchedule unreachable:NoExecute', 'remove', 'unreachable:NoSchedule'],
];
for (const [name, conditions, present, execution, wanted] of rows)
  test(name, () =>
    assert.is(
      taints
        .wanted(node(conditions, all(present)), execution, NOW)
        .map(text)
        .join(' '),
      wanted,
    ),
  );

test('a node that takes no pods', () => {
  assert.equal(taints.wanted(node('Ready=True', [], true), 'keep', NOW).map(text), ['+unschedulable:NoSchedule']);
  assert.equal(taints.wanted(node('Ready=True', all('unschedulable:NoSchedule')), 'keep', NOW), []);
});

test('what was written once is not written again, others are left alone, and at most one taint of ours makes pods go', () => {
  const short = fc.constantFrom(
    ...['not-ready', 'unreachable', 'memory-pressure', 'unschedulable', 'e.com/x'].flatMap((key) => [
      `${key}:NoSchedule`,
      `${key}:NoExecute`,
    ]),
  );
  const status = fc.constantFrom('True', 'False', 'Unknown');
  const conditions = fc.record({ Ready: status, MemoryPressure: status }, { requiredKeys: [] });
  const execution = fc.constantFrom<Execution>('keep', 'add', 'remove');
  fc.assert(
    fc.property(fc.uniqueArray(short), conditions, execution, (present, stated, how) => {
      const said = Object.entries(stated)
        .map((each) => each.join('='))
        .join(' ');
      const once = taints.wanted(node(said, present.map(taint)), how, NOW);
      assert.equal(taints.wanted(node(said, once), 'keep', NOW + 5_000), once);
      const foreign = (each: Taint): boolean =>
        each.key.startsWith('e.com') || (each.effect === 'NoExecute' && !/ready|reach/.test(each.key));
      assert.equal(once.filter(foreign), present.map(taint).filter(foreign));
      const executing = once.filter(({ key, effect }) => effect === 'NoExecute' && /ready|reach/.test(key));
      assert.ok(executing.length <= 1 || stated.Ready === undefined);
      if (stated.Ready === 'True' || how === 'remove') assert.equal(executing, []);
    }),
  );
});

test.run();
