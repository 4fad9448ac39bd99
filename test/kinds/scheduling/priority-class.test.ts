import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { creationErrors, lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('priority classes');
const { rules } = await loadKind('scheduling.k8s.io/v1', 'PriorityClass');
const context = ruleContext();
const reserved = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ";

const ROWS: readonly (readonly [name: string, members: object, ...errors: string[]])[] = [
  ['own', { value: 1000000000, preemptionPolicy: 'Never' }],
  ['negative', { value: -5 }],
  ['high', { value: 1000000001 }, 'value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ['system-node-critical', { value: 2000001000 }],
  ['system-node-critical', { value: 1 }, `${reserved}value of system-node-critical PriorityClass must be 2000001000`],
  [
    'system-cluster-critical',
    { value: 2000000000, globalDefault: true },
    `${reserved}globalDefault of system-cluster-critical PriorityClass must be false`,
  ],
  ['system-mine', { value: 1 }, `${reserved}system-mine is not a known system priority class`],
  [
    'policy',
    { value: 1, preemptionPolicy: 'X' },
    'preemptionPolicy: Unsupported value: "X": supported values: "PreemptLowerPriority", "Never"',
  ],
];

for (const [name, members, ...errors] of ROWS)
  test(`${name} ${JSON.stringify(members)}`, () => {
    const given = object('scheduling.k8s.io/v1', 'PriorityClass', members, { name });
    assert.equal(creationErrors(rules, given, context), errors);
  });

test('value and policy stay', () => {
  const of = (members: object) => object('scheduling.k8s.io/v1', 'PriorityClass', members);
  assert.equal(
    lines(rules.validateUpdate?.(of({ value: 1, preemptionPolicy: 'Never' }), of({ preemptionPolicy: 'PreemptLowerPriority' }), context)),
    ['value: Forbidden: may not be changed in an update.', 'preemptionPolicy: Invalid value: "Never": field is immutable'],
  );
});

test('the classes of the system stay', () => {
  assert.match(rules.refusesDeletion?.('system-node-critical') ?? '', 'cannot be deleted');
  assert.is(rules.refusesDeletion?.('mine'), undefined);
});

test('cells', async () => {
  const given = object('scheduling.k8s.io/v1', 'PriorityClass', { value: 7, preemptionPolicy: 'Never' });
  assert.equal(await rowOf(given, Date.parse('2026-01-01T00:01:00Z')), ['x', 7, false, '60s', 'Never']);
});

test.run();
