import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, ruleContext } from '../context.ts';
import { rowOf } from '../kind.ts';
import { testKind } from './kinds.ts';

const test = suite('persistent volumes and claims');
const volumes = await testKind('PersistentVolume');
const claims = await testKind('PersistentVolumeClaim');
const context = ruleContext();
const REGISTRY = 'spec.quobyte.registry: Invalid value: "a:1,b,c": must be a host:port pair or multiple pairs separated by commas';
const SUBDOMAIN = 'a lowercase RFC 1123 subdomain';

const volume = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/a' } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
test('volumes: options of the mount in an annotation, where the source knows them', () => {
  const annotated = { annotations: { [MOUNT_OPTIONS]: 'ro' } };
  assert.equal(volumes.errors({ spec: volume }, annotated), [
    `metadata.annotations.${MOUNT_OPTIONS}: Forbidden: may not specify mount options for this volume type`,
  ]);
  assert.equal(volumes.errors({ spec: { ...volume, hostPath: undefined, nfs: { server: 'a', path: '/b' } } }, annotated), []);
});

const volumeRows: [string, object, string[]][] = [
  ['a good one', volume, []],
  [
    'nothing',
    {},
    [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: core.ResourceList(nil): supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ],
  ],
  [
    'modes',
    { ...volume, accessModes: ['X', 'ReadWriteOncePod', 'ReadOnlyMany'] },
    [
      'spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
    ],
  ],
  ['no room', { ...volume, capacity: { storage: '0' } }, ['spec.capacity[storage]: Invalid value: "0": must be greater than zero']],
  ['two sources', { ...volume, nfs: { server: 'a', path: '/b' } }, ['spec.nfs: Forbidden: may not specify more than 1 volume type']],
  [
    'a disk of a node, of none',
    { ...volume, hostPath: undefined, local: { path: '/a' } },
    ['spec.nodeAffinity: Required value: Local volume requires node affinity'],
  ],
  [
    'a disk of a node besides a source',
    { ...volume, local: { path: '/a' } },
    ['spec.local: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a flexible volume, which may stand besides a source before it',
    { ...volume, flexVolume: { driver: '' }, csi: { driver: 'a', volumeHandle: 'b' } },
    ['spec.flexVolume.driver: Required value', 'spec.csi: Forbidden: may not specify more than 1 volume type'],
  ],
  ['a registry', { ...volume, hostPath: undefined, quobyte: { registry: 'a:1,b,c', volume: 'v' } }, [REGISTRY, REGISTRY]],
  [
    'a driver',
    { ...volume, hostPath: undefined, csi: { driver: 'A_', volumeHandle: '' } },
    [`spec.csi.driver: Invalid value: "A_": ${SUBDOMAIN}`, 'spec.csi.volumeHandle: Required value'],
  ],
  [
    'a partition',
    { ...volume, hostPath: undefined, gcePersistentDisk: { pdName: 'a', partition: 256 } },
    ['spec.persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive'],
  ],
  [
    'the root for someone else',
    { ...volume, hostPath: { path: '/.//' }, persistentVolumeReclaimPolicy: 'Recycle' },
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  [
    'the root by way of another folder',
    { ...volume, hostPath: { path: '/a/..' }, persistentVolumeReclaimPolicy: 'Recycle' },
    [
      'spec.hostPath.path: Invalid value: "/a/..": must not contain \'..\'',
      "spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'",
    ],
  ],
  [
    'secrets without anything, of which the one for staging is not looked at',
    {
      ...volume,
      hostPath: undefined,
      csi: { driver: 'a', volumeHandle: 'b', controllerPublishSecretRef: {}, nodePublishSecretRef: {}, nodeStageSecretRef: {} },
    },
    ['controllerPublishSecretRef', 'nodePublishSecretRef'].flatMap((secret) =>
      ['name', 'namespace'].map((member) => `spec.csi.${secret}.${member}: Required value`),
    ),
  ],
  [
    'an initiator',
    { ...volume, hostPath: undefined, iscsi: { targetPortal: 'p', iqn: 'x', lun: 256 } },
    [
      'spec.iscsi.iqn: Invalid value: "x": must be valid format',
      'spec.iscsi.lun: Invalid value: 256: must be between 0 and 255, inclusive',
    ],
  ],
  [
    'nodes: values are not looked at, keys are',
    {
      ...volume,
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            {
              matchExpressions: [
                { key: 'a', operator: 'In', values: ['-'] },
                { key: '-', operator: 'Exists' },
              ],
            },
          ],
        },
      },
    },
    ['spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "-": name part must consist'],
  ],
];
volumeRows.push(
  [
    'attributes of a driver',
    { ...volume, hostPath: undefined, csi: { driver: 'a', volumeHandle: 'b' }, volumeAttributesClassName: 'fast' },
    [],
  ],
  [
    'attributes without a driver, and without a name',
    { ...volume, volumeAttributesClassName: '' },
    [
      'spec.volumeAttributesClassName: Required value: an empty string is disallowed',
      'spec.csi: Required value: has to be specified when using volumeAttributesClassName',
    ],
  ],
);
for (const [name, spec, expected] of volumeRows)
  test(`volumes: ${name}`, () => {
    const found = volumes.errors({ spec });
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

test('volumes: a new one is pending since now', async () => {
  const object = volumes.make({ spec: volume });
  await volumes.rules.prepareForCreate?.(object, context);
  assert.equal(object.status, { phase: 'Pending', lastPhaseTransitionTime: '2026-01-01T00:00:00Z' });
  assert.is(object.spec.persistentVolumeReclaimPolicy, 'Retain');
});

test('volumes: the time of a phase is that of its change', () => {
  const old = volumes.make({ spec: volume, status: { phase: 'Pending', lastPhaseTransitionTime: '2025-01-01T00:00:00Z' } });
  const object = volumes.make({ spec: volume, status: { phase: 'Bound', lastPhaseTransitionTime: '2025-01-01T00:00:00Z' } });
  volumes.rules.prepareForStatusUpdate?.(object, old, context);
  assert.is(object.status.lastPhaseTransitionTime, '2026-01-01T00:00:00Z');
});

const csi = { ...volume, hostPath: undefined, csi: { driver: 'a', volumeHandle: 'b' } };
const volumeChanges: [string, object, object, string[]][] = [
  ['nothing', volume, volume, []],
  ['more room', { ...volume, capacity: { storage: '2Gi' } }, volume, []],
  [
    'another source',
    { ...volume, hostPath: { path: '/b' } },
    volume,
    ['spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n(spec.persistentVolumeSource)'],
  ],
  ['a secret for growing', { ...csi, csi: { ...csi.csi, controllerExpandSecretRef: { name: 's', namespace: 'n' } } }, csi, []],
  ['another mode', { ...volume, volumeMode: 'Block' }, volume, ['volumeMode: Invalid value: "Block": field is immutable']],
  [
    'a label of today',
    {
      ...volume,
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'Exists' }] }] } },
    },
    {
      ...volume,
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }] }] } },
    },
    [],
  ],
];
for (const [name, spec, old, expected] of volumeChanges)
  test(`volumes: a change of ${name}`, () => assert.equal(volumes.changeErrors({ spec }, { spec: old }), expected));

test('volumes: cells', async () => {
  const object = volumes.make({
    spec: { ...volume, storageClassName: 'fast', claimRef: { namespace: 'n', name: 'c' } },
    status: { phase: 'Bound' },
  });
  assert.equal(await rowOf(object, 0), ['x', '1Gi', 'RWO', 'Retain', 'Bound', 'n/c', 'fast', '<unset>', '', '<unknown>', 'Filesystem']);
});

test('claims: warnings of amounts that are no whole numbers of bytes', () => {
  const object = claims.make({ spec: { ...claim, resources: { requests: { storage: '1500m' }, limits: { storage: '2500m' } } } });
  assert.equal(claims.rules.warnings?.(object, undefined, context), [
    'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    'spec.resources.limits[storage]: fractional byte value "2500m" is invalid, must be an integer',
  ]);
});

test('volumes: warnings', () => {
  const object = volumes.make(
    { spec: { ...volume, persistentVolumeReclaimPolicy: 'Recycle' } },
    { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a' } },
  );
  assert.is(volumes.rules.warnings?.(object, undefined, context).length, 2);
});

const claimRows: [string, object, string[]][] = [
  ['a good one', claim, []],
  ['nothing', {}, ['spec.accessModes: Required value: at least 1 access mode is required', 'spec.resources[storage]: Required value']],
  ['a class', { ...claim, storageClassName: 'A_' }, [`spec.storageClassName: Invalid value: "A_": ${SUBDOMAIN}`]],
  ['an empty class', { ...claim, storageClassName: '' }, []],
  ['a mode', { ...claim, volumeMode: 'X' }, ['spec.volumeMode: Unsupported value: "X": supported values: "Block", "Filesystem"']],
  [
    'sources that differ',
    { ...claim, dataSource: { kind: 'PersistentVolumeClaim', name: 'a' }, dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' } },
    ['spec: Invalid value: field.Path{name:"dataSource", index:"", parent:(*field.Path)(0x'],
  ],
];
for (const [name, spec, expected] of claimRows)
  test(`claims: ${name}`, () => {
    const found = claims.errors({ spec });
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

const ANY = 'AnyVolumeDataSource';
test('claims: both names of the first content say the same', async () => {
  const source = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'a' };
  for (const member of ['dataSource', 'dataSourceRef']) {
    const object = claims.make({ spec: { ...claim, [member]: source } });
    await claims.rules.prepareForCreate?.(object, ruleContext(ANY));
    assert.equal([object.spec.dataSource, object.spec.dataSourceRef], [source, source]);
    assert.equal(object.status, { phase: 'Pending' });
  }
});

for (const [name, gates, completed] of [
  ['gets the other one', [ANY], true],
  ['stays as it is without the gate', [], false],
] as const)
  test(`claims: one that was stored with one name of the first content ${name}`, () => {
    const source = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a' };
    const stored = claims.make({ spec: { ...claim, dataSource: source } });
    claims.rules.completeStored?.(stored, ruleContext(...gates));
    assert.equal(stored.spec.dataSourceRef, completed ? source : undefined);
  });

const FOREIGN = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a', namespace: 'other' };
const OF_A_POPULATOR = { apiGroup: 'example.com', kind: 'Image', name: 'a' };
const CLAIM = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'a' };
const sourceRows: [string, string[], object, object | undefined, object][] = [
  ['a source of no known kind, new', [ANY], { dataSource: OF_A_POPULATOR }, undefined, {}],
  ['a source of no known kind, added later', [ANY], { dataSource: OF_A_POPULATOR }, {}, {}],
  [
    'a source of no known kind that is there',
    [ANY],
    { dataSource: OF_A_POPULATOR },
    { dataSource: OF_A_POPULATOR, dataSourceRef: OF_A_POPULATOR },
    { dataSource: OF_A_POPULATOR, dataSourceRef: OF_A_POPULATOR },
  ],
  ['a source of another namespace', [ANY], { dataSourceRef: FOREIGN }, undefined, {}],
  [
    'a source of another namespace beside one of no known kind',
    [ANY],
    { dataSource: OF_A_POPULATOR, dataSourceRef: FOREIGN },
    undefined,
    {},
  ],
  [
    'a source of another namespace that is there',
    [ANY],
    { dataSourceRef: FOREIGN },
    { dataSourceRef: FOREIGN },
    { dataSourceRef: FOREIGN },
  ],
  [
    'a source of another namespace behind the gate',
    [ANY, 'CrossNamespaceVolumeDataSource'],
    { dataSourceRef: FOREIGN },
    undefined,
    { dataSourceRef: FOREIGN },
  ],
  ['any source without the gate', [], { dataSourceRef: OF_A_POPULATOR }, undefined, {}],
  ['any source without the gate, added later', [], { dataSourceRef: OF_A_POPULATOR }, {}, {}],
  [
    'any source without the gate that is there',
    [],
    { dataSourceRef: OF_A_POPULATOR },
    { dataSourceRef: OF_A_POPULATOR },
    { dataSourceRef: OF_A_POPULATOR },
  ],
  ['the older name without the gate', [], { dataSource: CLAIM }, undefined, { dataSource: { ...CLAIM } }],
];
for (const [name, gates, spec, old, expected] of sourceRows)
  test(`claims: ${name}`, async () => {
    const object = claims.make({ spec: { ...claim, ...spec } });
    if (old === undefined) await claims.rules.prepareForCreate?.(object, ruleContext(...gates));
    else await claims.rules.prepareForUpdate?.(object, claims.make({ spec: { ...claim, ...old } }), ruleContext(...gates));
    const { dataSource, dataSourceRef } = object.spec;
    assert.equal(JSON.parse(JSON.stringify({ dataSource, dataSourceRef })), expected);
  });

const bound = (storage: string, status: object = {}): object => ({
  spec: { ...claim, resources: { requests: { storage } } },
  status: { phase: 'Bound', capacity: { storage: '1Gi' }, ...status },
});
const claimChanges: [string, object, object, string[]][] = [
  ['its volume, once', { spec: { ...claim, volumeName: 'v' } }, { spec: claim }, []],
  [
    'another volume',
    { spec: { ...claim, volumeName: 'v' } },
    { spec: { ...claim, volumeName: 'w' } },
    ['spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n(spec)'],
  ],
  ['a class where there was none', { spec: { ...claim, storageClassName: 'a' } }, { spec: claim }, []],
  ['more room', bound('2Gi'), bound('1Gi'), []],
  [
    'more room though nothing is bound',
    { spec: { ...claim, resources: { requests: { storage: '2Gi' } } } },
    { spec: claim },
    ['spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n(spec)'],
  ],
  [
    'less than it asked for, without the gate',
    bound('2Gi'),
    bound('3Gi'),
    ['spec.resources.requests.storage: Forbidden: field can not be less than previous value'],
  ],
  ['less than it asked for, where it says what it is to get', bound('2Gi'), bound('3Gi', { allocatedResources: { storage: '3Gi' } }), []],
];
const RECOVERS = 'RecoverVolumeExpansionFailure';
const sizeChanges: [string, object, object, string[]][] = [
  ['less than it asked for, more than it has', bound('2Gi'), bound('3Gi'), []],
  [
    'as little as it has',
    bound('1Gi'),
    bound('3Gi'),
    ['spec.resources.requests.storage: Forbidden: field can not be less than status.capacity'],
  ],
];
for (const [name, members, old, expected] of sizeChanges)
  test(`claims: a change of size: ${name}`, async () => {
    const kind = await testKind('PersistentVolumeClaim', RECOVERS);
    assert.equal(kind.changeErrors(members, old), expected);
  });
for (const [name, members, old, expected] of claimChanges)
  test(`claims: a change of ${name}`, () => assert.equal(claims.changeErrors(members, old), expected));

const attributes = (of?: string): object => ({ spec: { ...claim, volumeAttributesClassName: of }, status: { phase: 'Bound' } });
const UNGATED = 'spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate is disabled';
const NAMELESS = 'spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden';
const GATE = 'VolumeAttributesClass';
const attributeChanges: [string, string[], string | undefined, string | undefined, string[]][] = [
  ['one for another', [GATE], 'fast', 'slow', []],
  ['one for another, without the gate', [], 'fast', 'slow', [UNGATED]],
  ['one where there was none', [GATE], undefined, 'slow', []],
  ['no name where there was none', [GATE], undefined, '', []],
  ['no name for one', [GATE], 'fast', '', [NAMELESS]],
  ['no name for one, without the gate', [], 'fast', '', [UNGATED, NAMELESS]],
  ['no name for no name', [GATE], '', '', []],
  [
    'none for one',
    [GATE],
    'fast',
    undefined,
    [
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n(spec)',
      'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
    ],
  ],
];
for (const [name, gates, old, now, expected] of attributeChanges)
  test(`claims: a change of attributes: ${name}`, async () => {
    const kind = await testKind('PersistentVolumeClaim', ...gates);
    assert.equal(kind.changeErrors(attributes(now), attributes(old)), expected);
  });

test('claims: status', () => {
  const object = claims.make({ spec: claim, status: { capacity: { storage: '-1' }, allocatedResourceStatuses: { cpu: 'X' } } });
  assert.equal(lines(claims.rules.validateStatusUpdate?.(object, claims.make({ spec: claim }), context)), [
    'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
    'status.allocatedResourceStatus: Unsupported value: "cpu": supported values: "storage"',
    'status.allocatedResourceStatus: Unsupported value: cpu: supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
  ]);
});

test('claims: cells', async () => {
  const object = claims.make({
    spec: { ...claim, volumeName: 'v' },
    status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadOnlyMany', 'ReadWriteOnce'] },
  });
  assert.equal(await rowOf(object, 0), ['x', 'Bound', 'v', '1Gi', 'RWO,ROX', '', '<unset>', '<unknown>', 'Filesystem']);
  object.metadata.deletionTimestamp = 't';
  assert.is((await rowOf(object, 0))[1], 'Terminating');
});

test.run();
