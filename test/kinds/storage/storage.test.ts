import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AnyKindRules } from '../../../runtime/contract/kind-rules.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('kinds of storage');
const rulesOf = async (kind: string, version = 'v1'): Promise<AnyKindRules> => (await loadKind(`storage.k8s.io/${version}`, kind)).rules;
const csiDriver = await rulesOf('CSIDriver');
const csiNode = await rulesOf('CSINode');
const capacity = await rulesOf('CSIStorageCapacity');
const storageClass = await rulesOf('StorageClass');
const attachment = await rulesOf('VolumeAttachment');
const attributesClass = await rulesOf('VolumeAttributesClass', 'v1beta1');
const NOW = Date.parse('2026-01-01T00:00:05Z');

const of = (kind: string, members: object, metadata: object = {}): ApiObject => object('storage.k8s.io/v1', kind, members, metadata);
const aClass = (members: object): ApiObject =>
  of('StorageClass', { provisioner: 'p', reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate', ...members });
const aDriver = (members: object): ApiObject =>
  of('CSIDriver', { spec: { attachRequired: true, podInfoOnMount: false, storageCapacity: false, seLinuxMount: false, ...members } });
const aNode = (...drivers: object[]): ApiObject => of('CSINode', { spec: { drivers } });
const anAttachment = (source: object, members: object = {}, status: object = { attached: false }): ApiObject =>
  of('VolumeAttachment', { spec: { attacher: 'd.example.com', nodeName: 'n', source, ...members }, status });

const invalid: [string, AnyKindRules, ApiObject, string[]][] = [
  ['a class', storageClass, aClass({}), []],
  ['a class without provisioner', storageClass, aClass({ provisioner: '' }), ['provisioner: Required value']],
  [
    'a class with a policy of volumes alone',
    storageClass,
    aClass({ reclaimPolicy: 'Recycle' }),
    ['reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"'],
  ],
  [
    'a class with a parameter without name',
    storageClass,
    aClass({ parameters: { '': 'x' } }),
    ['parameters: Invalid value: "": field can not be empty.'],
  ],
  [
    'a class with large parameters',
    storageClass,
    aClass({ parameters: { a: 'x'.repeat(256 * 1024) } }),
    ['parameters: Too long: may not be more than 262144 bytes'],
  ],
  [
    'a class with an empty topology',
    storageClass,
    aClass({ allowedTopologies: [{}] }),
    ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    'a class with the same topology twice',
    storageClass,
    aClass({
      allowedTopologies: [
        { matchLabelExpressions: [{ key: 'a', values: ['x', 'y'] }] },
        { matchLabelExpressions: [{ key: 'a', values: ['y', 'x'] }] },
      ],
    }),
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  ['attributes', attributesClass, of('VolumeAttributesClass', { driverName: 'd', parameters: { a: 'b' } }), []],
  [
    'attributes without parameters',
    attributesClass,
    of('VolumeAttributesClass', { driverName: '' }),
    ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  ],
  ['a driver', csiDriver, aDriver({}), []],
  [
    'a driver with short and long tokens',
    csiDriver,
    aDriver({
      tokenRequests: [
        { audience: 'a', expirationSeconds: 599 },
        { audience: 'b', expirationSeconds: 2 ** 32 + 1 },
        { audience: 'c', expirationSeconds: 600 },
      ],
    }),
    [
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
  ],
  ['a node without drivers', csiNode, aNode(), []],
  [
    'a node with a long identifier and a negative limit',
    csiNode,
    aNode({ name: 'd', nodeID: 'x'.repeat(257), allocatable: { count: -1 } }),
    [
      `spec.drivers[0].nodeID: Invalid value: "${'x'.repeat(257)}": must be 256 characters or less`,
      'spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  ['a capacity', capacity, of('CSIStorageCapacity', { storageClassName: 'c', capacity: '1Gi' }), []],
  [
    'a negative capacity',
    capacity,
    of('CSIStorageCapacity', { storageClassName: 'c', capacity: '-1' }),
    ['capacity: Invalid value: "-1": must be greater than or equal to 0'],
  ],
  ['an attachment', attachment, anAttachment({ persistentVolumeName: 'pv' }), []],
  [
    'an attachment of nothing',
    attachment,
    anAttachment({}),
    ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'an attachment of two volumes',
    attachment,
    anAttachment({ persistentVolumeName: 'pv', inlineVolumeSpec: {} }),
    ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'an attachment of an inline volume of a class',
    attachment,
    anAttachment({
      inlineVolumeSpec: {
        accessModes: ['ReadWriteOnce'],
        csi: { driver: 'd.example.com', volumeHandle: 'h' },
        storageClassName: 'c',
        volumeMode: 'Block',
      },
    }),
    [
      'spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes',
      'spec.source.inlineVolumeSpec.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes',
    ],
  ],
];
for (const [name, rules, value, expected] of invalid)
  test(name, () => assert.equal(lines(rules.validate?.(value, ruleContext())), expected));

test('an attachment whose error is long is told so twice', () => {
  const before = anAttachment({ persistentVolumeName: 'pv' });
  const value = { ...before, status: { attached: false, attachError: { message: 'x'.repeat(1025) } } };
  const line = 'status.attachError.message: Too long: may not be more than 262144 bytes';
  assert.equal(lines(attachment.validateStatusUpdate?.(value, before, ruleContext())), [line, line]);
});

test('a new attachment is held to more than a stored one', () => {
  const value = anAttachment({ persistentVolumeName: 'PV' }, { attacher: 'd_' });
  assert.is(lines(attachment.validate?.(value, ruleContext())).length, 2);
  assert.equal(lines(attachment.validate?.(value, ruleContext(), anAttachment({ persistentVolumeName: 'PV' }))), []);
});

test('an attachment without anything', () => {
  const value = anAttachment({}, { attacher: '', nodeName: 'n' });
  assert.equal(lines(attachment.validate?.(value, ruleContext())).slice(0, 2), [
    'spec.attacher: Required value',
    'spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName',
  ]);
});

const updates: [string, AnyKindRules, ApiObject, ApiObject, string[]][] = [
  [
    'a class is fixed',
    storageClass,
    aClass({ provisioner: 'q', reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer', parameters: { a: 'b' } }),
    aClass({}),
    [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'reclaimPolicy: Forbidden: updates to reclaimPolicy are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ],
  ['a class may allow expansion', storageClass, aClass({ allowVolumeExpansion: true }), aClass({}), []],
  [
    'a driver keeps its lifecycle modes',
    csiDriver,
    aDriver({ volumeLifecycleModes: ['Ephemeral'] }),
    aDriver({ volumeLifecycleModes: ['Persistent'] }),
    ['spec.volumeLifecycleModes: Invalid value: []string{"Ephemeral"}: field is immutable'],
  ],
  ['drivers of a node come and go', csiNode, aNode({ name: 'b', nodeID: 'x' }), aNode({ name: 'a', nodeID: 'x' }), []],
  [
    'a driver of a node stays',
    csiNode,
    aNode({ name: 'a', nodeID: 'y' }),
    aNode({ name: 'a', nodeID: 'x' }),
    [
      'CSINodeDriver: Invalid value: storage.CSINodeDriver{Name:"a", NodeID:"y", TopologyKeys:[]string(nil), Allocatable:(*storage.VolumeNodeResources)(nil)}: field is immutable',
    ],
  ],
];
for (const [name, rules, value, old, expected] of updates)
  test(name, () => assert.equal(lines(rules.validateUpdate?.(value, old, ruleContext())), expected));

test('the generation of a driver counts changes of its spec', async () => {
  const changed = aDriver({ requiresRepublish: true });
  await csiDriver.prepareForUpdate?.(changed, aDriver({}), ruleContext('SELinuxMountReadWriteOncePod'));
  assert.is(changed.metadata.generation, 1);
});

test('labels of old names are warned of', () => {
  const value = aClass({
    allowedTopologies: [{ matchLabelExpressions: [{ key: 'failure-domain.beta.kubernetes.io/zone', values: ['z'] }] }],
  });
  assert.equal(storageClass.warnings?.(value, undefined, ruleContext()), [
    'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  ]);
});

test('the writer of a status changes no metadata', () => {
  const value = anAttachment({ persistentVolumeName: 'pv' });
  value.metadata.labels = { a: 'b' };
  attachment.prepareForStatusUpdate?.(value, anAttachment({ persistentVolumeName: 'pv' }), ruleContext());
  assert.is(value.metadata.labels, undefined);
});

test('cells', async () => {
  const marked = of('StorageClass', { provisioner: 'p' }, { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } });
  assert.equal(await rowOf(marked, NOW), ['x (default)', 'p', 'Delete', 'Immediate', false, '5s']);
  assert.equal(await rowOf(aDriver({ tokenRequests: [{ audience: 'a' }, { audience: 'b' }] }), NOW), [
    'x',
    true,
    false,
    false,
    'a,b',
    false,
    '<unset>',
    '5s',
  ]);
  assert.equal(await rowOf(aNode({ name: 'a', nodeID: 'x' }), NOW), ['x', 1, '5s']);
  assert.equal(await rowOf(of('CSIStorageCapacity', { storageClassName: 'c' }), NOW), ['x', '2026-01-01T00:00:00Z']);
  assert.equal(await rowOf(anAttachment({ inlineVolumeSpec: {} }), NOW), ['x', 'd.example.com', '', 'n', false, '5s']);
});

test.run();
