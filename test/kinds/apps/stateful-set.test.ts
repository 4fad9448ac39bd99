import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { decode } from '../../../runtime/schema/codec/codec.ts';
import { dropGatedFields, gatedFields } from '../../../runtime/schema/gated-fields.ts';
import { lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';
import { container, template, workload } from './workload.ts';

const test = suite('stateful sets');
const kind = await loadKind('apps/v1', 'StatefulSet');
const { rules } = kind;
const context = ruleContext();

test('defaults stand in their places, with all feature gates on', () => {
  const { selector: _selector, template: _template, ...rest } = workload(kind, { serviceName: 's', ordinals: { start: 2 } }).spec;
  assert.is(
    JSON.stringify(rest),
    '{"replicas":1,"serviceName":"s","podManagementPolicy":"OrderedReady","updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"partition":0,"maxUnavailable":1}},' +
      '"revisionHistoryLimit":10,"persistentVolumeClaimRetentionPolicy":{"whenDeleted":"Retain","whenScaled":"Retain"},"ordinals":{"start":2}}',
  );
});

const strategies: [string, object, object][] = [
  ['named without numbers', { type: 'RollingUpdate' }, { type: 'RollingUpdate' }],
  ['named with numbers', { type: 'RollingUpdate', rollingUpdate: {} }, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }],
  ['numbers alone', { rollingUpdate: { partition: 2 } }, { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }],
  ['on delete', { type: 'OnDelete' }, { type: 'OnDelete' }],
];
const strategyOf = (updateStrategy: object, ...gates: readonly string[]): unknown => {
  const options = { defaults: true, featureEnabled: (gate: string) => gates.includes(gate) };
  return (decode(kind.compiled, { spec: { updateStrategy } }, options).object as ApiObject).spec.updateStrategy;
};
for (const [name, given, expected] of strategies)
  test(`defaults of the strategy: ${name}`, () => assert.equal(strategyOf(given), expected));

const bounded: [string, object, object][] = [
  ['named without numbers', { type: 'RollingUpdate' }, { type: 'RollingUpdate' }],
  ['not named', {}, { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 1 } }],
  [
    'numbers alone',
    { rollingUpdate: { maxUnavailable: 2 } },
    { type: 'RollingUpdate', rollingUpdate: { partition: 0, maxUnavailable: 2 } },
  ],
  ['on delete', { type: 'OnDelete', rollingUpdate: {} }, { type: 'OnDelete', rollingUpdate: { partition: 0 } }],
];
for (const [name, given, expected] of bounded)
  test(`defaults of the strategy with its gate: ${name}`, () => assert.equal(strategyOf(given, 'MaxUnavailableStatefulSet'), expected));

test('half a retention policy is completed', () => {
  const given = workload(kind, { persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } });
  assert.equal(given.spec.persistentVolumeClaimRetentionPolicy, { whenDeleted: 'Delete', whenScaled: 'Retain' });
});

test('claims are whole objects', () => {
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10240Mi' } } } };
  const given = workload(kind, { volumeClaimTemplates: [claim, { kind: 'X', apiVersion: 'v2', metadata: { name: 'b' } }] });
  assert.is(
    JSON.stringify(given.spec.volumeClaimTemplates),
    '[{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"data","creationTimestamp":null},"spec":{"accessModes":["ReadWriteOnce"],' +
      '"resources":{"requests":{"storage":"10Gi"}},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}},' +
      '{"kind":"PersistentVolumeClaim","apiVersion":"v1","metadata":{"name":"b","creationTimestamp":null},"spec":{"resources":{},"volumeMode":"Filesystem"},"status":{"phase":"Pending"}}]',
  );
  assert.equal(kind.decode(given).object, given);
});

const rows: [string, object, string[]][] = [
  ['a good one', {}, []],
  ['a template without containers, which nobody checks', { template: { ...template, spec: { containers: [] } } }, []],
  [
    'no selector',
    { selector: undefined },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  ['an empty selector', { selector: {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for statefulset']],
  [
    'a selector that cannot be used',
    { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"a","operator":"In"}]}',
    ],
  ],
  [
    'pods that end',
    { template: { ...template, spec: { containers: [container], restartPolicy: 'OnFailure', activeDeadlineSeconds: 5 } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in StatefulSet is not Supported',
    ],
  ],
  [
    'an unknown management of pods',
    { podManagementPolicy: 'X' },
    [`spec.podManagementPolicy: Invalid value: "X": must be 'OrderedReady' or 'Parallel'`],
  ],
  [
    'an unknown strategy',
    { updateStrategy: { type: 'X' } },
    [`spec.updateStrategy: Invalid value: {"type":"X"}: must be 'RollingUpdate' or 'OnDelete'`],
  ],
  [
    'numbers of another strategy',
    { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
    [`spec.updateStrategy.rollingUpdate: Invalid value: {"partition":1}: only allowed for updateStrategy 'RollingUpdate'`],
  ],
  [
    'negative numbers',
    { replicas: -1, ordinals: { start: -2 }, updateStrategy: { rollingUpdate: { partition: -3 } } },
    [
      'spec.updateStrategy.rollingUpdate.partition: Invalid value: -3: must be greater than or equal to 0',
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.ordinals.start: Invalid value: -2: must be greater than or equal to 0',
    ],
  ],
  [
    'none unavailable',
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: cannot be 0'],
  ],
  [
    'an unknown retention',
    { persistentVolumeClaimRetentionPolicy: { whenScaled: 'X' } },
    ['spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "X": supported values: "Retain", "Delete"'],
  ],
];
for (const [name, spec, expected] of rows)
  test(`validates ${name}`, () => assert.equal(lines(rules.validate?.(workload(kind, spec), context)), expected));

const FORBIDDEN =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
const changes: [string, object, string[]][] = [
  ['replicas', { replicas: 2 }, []],
  ['ordinals', { ordinals: { start: 1 } }, []],
  ['the template', { template: { ...template, spec: { containers: [{ ...container, image: 'b' }] } } }, []],
  ['the strategy', { updateStrategy: { type: 'OnDelete' } }, []],
  ['the retention', { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete' } }, []],
  ['the time until pods are ready', { minReadySeconds: 1 }, []],
  ['the service', { serviceName: 'other' }, [FORBIDDEN]],
  ['the management of pods', { podManagementPolicy: 'Parallel' }, [FORBIDDEN]],
  ['the history', { revisionHistoryLimit: 3 }, [FORBIDDEN]],
  ['the claims', { volumeClaimTemplates: [{ metadata: { name: 'd' } }] }, [FORBIDDEN]],
];
for (const [name, spec, expected] of changes)
  test(`may change or not: ${name}`, () =>
    assert.equal(lines(rules.validateUpdate?.(workload(kind, spec), workload(kind), context)), expected));

test('while its gate is off, nobody begins to use maxUnavailable', () => {
  const using = (): ReturnType<typeof workload> => workload(kind, { updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } });
  const off = gatedFields(kind.data.type, () => false);
  const created = using();
  dropGatedFields(off, created, undefined);
  assert.equal(created.spec.updateStrategy.rollingUpdate, { partition: 0 });
  const kept = using();
  dropGatedFields(off, kept, using());
  assert.is(kept.spec.updateStrategy.rollingUpdate.maxUnavailable, 2);
  const allowed = using();
  dropGatedFields(
    gatedFields(kind.data.type, () => true),
    allowed,
    undefined,
  );
  assert.is(allowed.spec.updateStrategy.rollingUpdate.maxUnavailable, 2);
});

test('claims keep what stands behind a gate that is off, as in 1.32', () => {
  const claim = { metadata: { name: 'data' }, spec: { volumeAttributesClassName: 'fast' } };
  const given = workload(kind, { volumeClaimTemplates: [claim] });
  dropGatedFields(
    gatedFields(kind.data.type, () => false),
    given,
    undefined,
  );
  assert.is(given.spec.volumeClaimTemplates[0].spec.volumeAttributesClassName, 'fast');
});

test('counts of the status fit together', () => {
  const status = { replicas: 1, readyReplicas: 0, currentReplicas: 2, availableReplicas: 1, collisionCount: 0 };
  assert.equal(lines(rules.validateStatusUpdate?.(workload(kind, {}, status), workload(kind, {}, { collisionCount: 1 }), context)), [
    'status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 1: cannot be greater than status.readyReplicas',
    'status.collisionCount: Invalid value: 0: cannot be decremented',
  ]);
});

test('a negative history is not looked at', () => {
  const given = workload(kind, { revisionHistoryLimit: -1 });
  assert.equal(rules.warnings?.(given, undefined, context), []);
  assert.equal(lines(rules.validate?.(given, context)), []);
});

test('claims of fractions of bytes are warned of', () => {
  const claim = { metadata: { name: 'd' }, spec: { resources: { requests: { storage: '1500m' }, limits: { storage: '2500m' } } } };
  const given = workload(kind, { volumeClaimTemplates: [claim] });
  const warned = (path: string): string[] => [
    `${path}.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer`,
    `${path}.resources.limits[storage]: fractional byte value "2500m" is invalid, must be an integer`,
  ];
  assert.equal(rules.warnings?.(given, undefined, context), warned('spec.volumeClaimTemplates[0]'));
  assert.equal(rules.warnings?.(given, given, context), warned('spec.volumeClaimTemplates[0].Spec'));
});

test('cells', async () => {
  const given = workload(kind, { replicas: 3 }, { readyReplicas: 1 });
  assert.equal(await rowOf(given, Date.parse('2026-01-01T00:00:05Z')), ['x', '1/3', '5s', 'c', 'nginx:1.27']);
});

test.run();
