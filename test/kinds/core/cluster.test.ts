import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, ruleContext } from '../context.ts';
import { rowOf } from '../kind.ts';
import { testKind } from './kinds.ts';

const test = suite('namespaces, nodes, component statuses');
const namespaces = await testKind('Namespace');
const nodes = await testKind('Node');
const components = await testKind('ComponentStatus');
const context = ruleContext();
const now = Date.parse('2026-01-01T00:10:00Z');

test('a namespace has its name as a label', () => {
  assert.equal(namespaces.make().metadata.labels, { 'kubernetes.io/metadata.name': 'x' });
  assert.equal(Object.keys(namespaces.make({}, { labels: { z: '1', a: '2' } }).metadata.labels ?? {}), [
    'a',
    'kubernetes.io/metadata.name',
    'z',
  ]);
});

test('a new namespace is active and has the finalizer of its contents', async () => {
  const object = namespaces.make({ spec: { finalizers: ['a/b'] }, status: { phase: 'Terminating' } });
  await namespaces.rules.prepareForCreate?.(object, context);
  assert.equal(object.spec.finalizers, ['a/b', 'kubernetes']);
  assert.equal(object.status, { phase: 'Active' });
});

test('a name that was generated becomes the label too', async () => {
  const object = namespaces.make({}, { name: '' });
  object.metadata.name = 'g-12345';
  await namespaces.rules.prepareForCreate?.(object, context);
  assert.is(object.metadata.labels?.['kubernetes.io/metadata.name'], 'g-12345');
});

test('finalizers of the spec change by a subresource of their own', async () => {
  const old = namespaces.make({ spec: { finalizers: ['kubernetes'] } });
  const object = namespaces.make({ spec: { finalizers: [] } });
  await namespaces.rules.prepareForUpdate?.(object, old, context);
  assert.equal(object.spec.finalizers, ['kubernetes']);
});

test('a namespace that is deleted goes when its finalizers have gone', () => {
  const object = namespaces.make({ spec: { finalizers: ['kubernetes'] } }, { deletionTimestamp: '2026-01-01T00:00:00Z' });
  namespaces.rules.prepareForDeletion?.(object);
  assert.is(object.status.phase, 'Terminating');
  assert.ok(namespaces.rules.holdsDeletion?.(object));
  assert.not(namespaces.rules.holdsDeletion?.(namespaces.make()));
});

const phases: [string, string, string | undefined, string[]][] = [
  ['active', 'Active', undefined, []],
  ['terminating', 'Terminating', 't', []],
  [
    'active though deleted',
    'Active',
    't',
    ['status.Phase: Invalid value: "Active": may only be \'Terminating\' if `deletionTimestamp` is not empty'],
  ],
  [
    'terminating though not deleted',
    'Terminating',
    undefined,
    ['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
  ],
];
for (const [name, phase, deletionTimestamp, expected] of phases)
  test(`a namespace is ${name}`, () => {
    const object = namespaces.make({ status: { phase } });
    if (deletionTimestamp !== undefined) object.metadata.deletionTimestamp = deletionTimestamp;
    assert.equal(lines(namespaces.rules.validateStatusUpdate?.(object, object, context)), expected);
  });

test('finalizers of a namespace are names', () =>
  assert.equal(namespaces.errors({ spec: { finalizers: ['x'] } }), [
    'spec.finalizers: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ]));

test('finalizers of a namespace that is finalized are names, each at its own path', () => {
  const object = namespaces.make({ spec: { finalizers: ['kubernetes', 'x'] } });
  assert.equal(lines(namespaces.rules.parts?.finalize?.validateUpdate?.(object, object, context)), [
    'spec.finalizers[1]: Invalid value: "x": name is neither a standard finalizer name nor is it fully qualified',
  ]);
});

const nodeRows: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'taints',
    { spec: { taints: [{ key: 'a', effect: 'X' }, { key: 'a' }] } },
    [
      'metadata.taints[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
      'metadata.taints[1].effect: Required value',
    ],
  ],
  [
    'a taint twice',
    {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      },
    },
    [
      'metadata.taints[1]: Duplicate value: core.Taint{Key:"a", Value:"b", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair',
    ],
  ],
  [
    'a range that is none',
    { spec: { podCIDR: '10.0.0.0' } },
    ['spec.podCIDRs[0]: Invalid value: "10.0.0.0": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
  [
    'a range twice',
    { spec: { podCIDRs: ['10.0.0.0/24', '10.0.0.0/24'] } },
    [
      'spec.podCIDRs: Invalid value: []string{"10.0.0.0/24", "10.0.0.0/24"}: may specify no more than one CIDR for each IP family',
      'spec.podCIDRs[1]: Duplicate value: "10.0.0.0/24"',
    ],
  ],
  ['both families', { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } }, []],
  [
    'less than nothing',
    { status: { capacity: { cpu: '-1' } } },
    [
      'status.capacity.cpu: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatable.cpu: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
];
for (const [name, members, expected] of nodeRows) test(`nodes: ${name}`, () => assert.equal(nodes.errors(members), expected));

const AVOID = 'scheduler.alpha.kubernetes.io/preferAvoidPods';
const TAINTS = 'scheduler.alpha.kubernetes.io/taints';
const nodeAnnotations: [string, Record<string, string>, string[]][] = [
  ['empty', { [AVOID]: '', [TAINTS]: '' }, []],
  ['of another type, unless they are null', { [AVOID]: 'null', [TAINTS]: 'null' }, []],
  [
    'a controller',
    {
      [AVOID]:
        '{"preferAvoidPods":[{"podSignature":{"podController":{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true}}}]}',
    },
    [],
  ],
  [
    'what is none',
    { [AVOID]: '{"preferAvoidPods":[{},null,{"podSignature":{"podController":{"kind":"A"}}}]}' },
    [
      `metadata.annotations.${AVOID}[0].PodSignature: Required value`,
      `metadata.annotations.${AVOID}[1].PodSignature: Required value`,
      `metadata.annotations.${AVOID}[2].PodSignature.PodController.Controller: Invalid value: false: must be true`,
    ],
  ],
  [
    'no JSON',
    { [AVOID]: '{', [TAINTS]: 'x' },
    [
      `metadata.annotations: Invalid value: "${TAINTS}": invalid character 'x' looking for beginning of value`,
      `metadata.annotations.AvoidPods: Invalid value: "${AVOID}": unexpected end of JSON input`,
    ],
  ],
  ['a taint', { [TAINTS]: '[{"Key":"a","effect":"NoSchedule"}]' }, []],
  [
    'taints that are none',
    { [TAINTS]: '[{"key":"a","effect":"X"},null]' },
    [
      `metadata.annotations.${TAINTS}[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"`,
      `metadata.annotations.${TAINTS}[1].key: Invalid value: "": name part must be non-empty`,
    ],
  ],
  [
    'a taint of another type',
    { [TAINTS]: '[{"key":1}]' },
    [`metadata.annotations: Invalid value: "${TAINTS}": json: cannot unmarshal number into Go struct field Taint.Key of type string`],
  ],
];
for (const [name, annotations, expected] of nodeAnnotations)
  test(`nodes: annotations, ${name}`, () => {
    const found = [nodes.errors({}, { annotations }), nodes.changeErrors({}, {}, { annotations })];
    for (const lines of found)
      assert.equal(
        lines.slice(0, expected.length).map((line, index) => (line.startsWith(expected[index] as string) ? expected[index] : line)),
        expected,
      );
    assert.is(found[0]?.length === 0, expected.length === 0);
  });

const nodeChanges: [string, object, object, string[]][] = [
  ['a range where there was none', { spec: { podCIDR: '10.0.0.0/24' } }, {}, []],
  [
    'another range',
    { spec: { podCIDR: '10.0.1.0/24' } },
    { spec: { podCIDR: '10.0.0.0/24' } },
    ['spec.podCIDRs: Forbidden: node updates may not change podCIDR except from "" to valid'],
  ],
  [
    'another provider',
    { spec: { providerID: 'a' } },
    { spec: { providerID: 'b' } },
    ['spec.providerID: Forbidden: node updates may not change providerID except from "" to valid'],
  ],
  ['another outside name', { spec: { externalID: 'a' } }, {}, ['spec.externalID: Forbidden: may not be updated']],
  [
    'an address twice',
    { status: { addresses: [1, 2].map(() => ({ type: 'Hostname', address: 'a' })) } },
    {},
    ['status.addresses[1]: Duplicate value: {"type":"Hostname","address":"a"}'],
  ],
];
for (const [name, members, old, expected] of nodeChanges)
  test(`nodes: a change of ${name}`, () => assert.equal(nodes.changeErrors(members, old), expected));

test('nodes: ranges have two forms, what is allocatable is what there is', () => {
  const object = nodes.make({ spec: { podCIDR: '10.0.0.0/24' }, status: { capacity: { cpu: '2' } } });
  assert.equal(object.spec.podCIDRs, ['10.0.0.0/24']);
  assert.equal(object.status.allocatable, { cpu: '2' });
  assert.is(nodes.make({ spec: { podCIDRs: ['10.0.0.0/24'] } }).spec.podCIDR, '10.0.0.0/24');
  assert.is(nodes.rules.selectableField?.(object, 'spec.unschedulable'), 'false');
});

const nodeCells: [string, object, object, unknown[]][] = [
  ['unknown', {}, {}, ['Unknown', '<none>', '10m', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']],
  [
    'known',
    {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        nodeInfo: { kubeletVersion: 'v1.32.0', osImage: 'os' },
      },
    },
    { labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' } },
    ['Ready,SchedulingDisabled', 'edge,worker', '10m', 'v1.32.0', '10.0.0.1', '<none>', 'os', '<unknown>', '<unknown>'],
  ],
];
for (const [name, members, metadata, expected] of nodeCells)
  test(`nodes: cells of one that is ${name}`, async () =>
    assert.equal((await rowOf(nodes.make(members, { creationTimestamp: '2026-01-01T00:00:00Z', ...metadata }), now)).slice(1), expected));

test('component statuses: cells', async () => {
  const condition = { type: 'Healthy', status: 'False', message: 'm', error: 'e' };
  assert.equal(await rowOf(components.make({ conditions: [condition] }), now), ['x', 'Unhealthy', 'm', 'e']);
  assert.equal(await rowOf(components.make(), now), ['x', 'Unknown', '', '']);
});

test.run();
