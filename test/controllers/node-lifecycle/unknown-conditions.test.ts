/** What is said of a silent node. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { identity as identityData } from '../../../generated/identity.ts';
import { createIdentity } from '../../../runtime/contract/identity.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { withUnknownConditions } from '../../../runtime/controllers/node-lifecycle/unknown-conditions.ts';

const { text } = createIdentity(identityData, 'kubernetes');
const CREATED = '2020-01-01T00:00:00Z';
const NOW = '2026-01-01T00:00:00Z';
const BEFORE = { lastHeartbeatTime: '2025-01-01T00:00:00Z', lastTransitionTime: '2024-01-01T00:00:00Z', reason: 'R', message: 'm' };
const STOPPED = {
  ...BEFORE,
  status: 'Unknown',
  lastTransitionTime: NOW,
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
};
const NEVER = {
  status: 'Unknown',
  lastHeartbeatTime: CREATED,
  lastTransitionTime: NOW,
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
};
const ALL = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

const node = (conditions?: object[]): ApiObject => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name: 'x', creationTimestamp: CREATED },
  ...(conditions && { status: { conditions, capacity: { cpu: '1' } } }),
});

const test = suite('conditions of silent nodes');
const rows: [name: string, before: object[] | undefined, after: object[]][] = [
  ['one that never said anything', undefined, ALL.map((type) => ({ type, ...NEVER }))],
  [
    'one that said something',
    [
      { type: 'MemoryPressure', status: 'False', ...BEFORE },
      { type: 'Ready', status: 'True', ...BEFORE },
    ],
    [
      { type: 'MemoryPressure', ...STOPPED },
      { type: 'Ready', ...STOPPED },
      { type: 'DiskPressure', ...NEVER },
      { type: 'PIDPressure', ...NEVER },
    ],
  ],
  [
    'what is not known already, and what agents do not report, stays',
    [
      ...ALL.map((type) => ({ type, status: type === 'Ready' ? 'False' : 'Unknown', ...BEFORE })),
      { type: 'NetworkUnavailable', status: 'False', ...BEFORE },
      { type: 'Mine', status: 'True', ...BEFORE },
    ],
    [
      { type: 'Ready', ...STOPPED },
      ...ALL.slice(1).map((type) => ({ type, status: 'Unknown', ...BEFORE })),
      { type: 'NetworkUnavailable', status: 'False', ...BEFORE },
      { type: 'Mine', status: 'True', ...BEFORE },
    ],
  ],
];
for (const [name, before, after] of rows)
  test(name, () => {
    const given = node(before);
    const unchanged = structuredClone(given);
    const object = withUnknownConditions(given, text, Date.parse(NOW));
    assert.equal(object.status.conditions, after);
    assert.equal(object.status.capacity, given.status?.capacity);
    assert.equal(given, unchanged);
  });
test('the other dialect has its own name for agents', () => {
  const { status } = withUnknownConditions(node(), createIdentity(identityData, 'cluster').text, Date.parse(NOW));
  assert.is(status.conditions[0].message, 'NodeAgent never posted node status.');
});
test.run();
