import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DeviceAttribute, DeviceSelector } from '../../../generated/resource/v1beta1/descriptors.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { goSyntax } from '../../../runtime/go-diff/go-syntax.ts';
import { goStruct } from '../../../runtime/go-diff/wire-types.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('device claims');
const version = 'resource.k8s.io/v1beta1';
const { rules: classRules } = await loadKind(version, 'DeviceClass');
const { rules: claimRules } = await loadKind(version, 'ResourceClaim');
const { rules: templateRules } = await loadKind(version, 'ResourceClaimTemplate');
const { rules: sliceRules } = await loadKind(version, 'ResourceSlice');
const context = ruleContext();
const now = Date.parse('2026-01-01T00:00:05Z');
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const request = { name: 'r', deviceClassName: 'c', allocationMode: 'ExactCount', count: 1 };
const opaque = { driver: 'd.example.com', parameters: { a: 1 } };
const claim = (devices: object, status: object = {}): ApiObject => object(version, 'ResourceClaim', { spec: { devices }, status });
const path = 'spec.devices';

const claims: [string, object, string[]][] = [
  ['nothing asked for', { requests: null }, []],
  ['a good one', { requests: [request], config: [{ requests: ['r'], opaque }] }, []],
  ['two of one name', { requests: [request, request] }, [`${path}.requests[1].name: Duplicate value: "r"`]],
  ['no class', { requests: [{ ...request, deviceClassName: '' }] }, [`${path}.requests[0].deviceClassName: Required value`]],
  ['none', { requests: [{ ...request, count: -1 }] }, [`${path}.requests[0].count: Invalid value: -1: must be greater than zero`]],
  [
    'all and a number',
    { requests: [{ ...request, allocationMode: 'All' }] },
    [`${path}.requests[0].count: Invalid value: 1: must not be specified when allocationMode is 'All'`],
  ],
  [
    'another mode',
    { requests: [{ ...request, allocationMode: 'Some' }] },
    [`${path}.requests[0].allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`],
  ],
  ['an empty selector', { requests: [{ ...request, selectors: [{}] }] }, [`${path}.requests[0].selectors[0].cel: Required value`]],
  [
    'a long expression',
    { requests: [{ ...request, selectors: [{ cel: { expression: 'x'.repeat(10_241) } }] }] },
    [`${path}.requests[0].selectors[0].cel.expression: Too long: may not be more than 10240 bytes`],
  ],
  [
    'too many',
    { requests: Array.from({ length: 33 }, (_, index) => ({ ...request, name: `r${index}` })) },
    [`${path}.requests: Too many: 33: must have at most 32 items`],
  ],
  [
    'a constraint on a request that is not there',
    { requests: [request], constraints: [{ requests: ['q'], matchAttribute: 'd.example.com/numa' }] },
    [`${path}.constraints[0].requests[0]: Invalid value: "q": must be the name of a request in the claim`],
  ],
  ['no attribute', { requests: [request], constraints: [{}] }, [`${path}.constraints[0].matchAttribute: Required value`]],
  [
    'an attribute without domain',
    { requests: [request], constraints: [{ matchAttribute: 'numa' }] },
    [`${path}.constraints[0].matchAttribute: Invalid value: "numa": must include a domain`],
  ],
  ['no settings', { requests: [request], config: [{}] }, [`${path}.config[0].opaque: Required value`]],
  [
    'no driver',
    { requests: [request], config: [{ opaque: { ...opaque, driver: '' } }] },
    [`${path}.config[0].opaque.driver: Required value`, `${path}.config[0].opaque.driver: Invalid value: "": ${SUBDOMAIN}`],
  ],
  [
    'settings that are no object',
    { requests: [request], config: [{ opaque: { ...opaque, parameters: [1] } }] },
    [`${path}.config[0].opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object`],
  ],
  [
    'long settings',
    { requests: [request], config: [{ opaque: { ...opaque, parameters: { a: 'x'.repeat(10_240) } } }] },
    [`${path}.config[0].opaque.parameters: Too long: may not be more than 10240 bytes`],
  ],
];
for (const [name, devices, expected] of claims) {
  test(`claim: ${name}`, () => assert.equal(lines(claimRules.validate?.(claim(devices), context)), expected));
  test(`template: ${name}`, () => {
    const template = object(version, 'ResourceClaimTemplate', { spec: { metadata: { creationTimestamp: null }, spec: { devices } } });
    const moved = expected.map((line) => line.replace(/^spec\./, 'spec.spec.'));
    assert.equal(lines(templateRules.validate?.(template, context)), moved);
  });
}

test('a template gives labels and annotations only', () => {
  const metadata = { creationTimestamp: null, name: 'n', uid: 'u', labels: { a: 'b' } };
  const template = object(version, 'ResourceClaimTemplate', { spec: { metadata, spec: { devices: { requests: null } } } });
  assert.equal(lines(templateRules.validate?.(template, context)), [
    'spec.metadata.name: Forbidden: cannot be set',
    'spec.metadata.uID: Forbidden: cannot be set',
  ]);
});

test('the spec of a claim never changes', () => {
  const errors = lines(
    claimRules.validateUpdate?.(claim({ requests: [{ ...request, count: 2 }] }), claim({ requests: [request] }), context),
  );
  assert.is(errors.length, 1);
  assert.match(errors[0] ?? '', /^spec: Invalid value: .*: field is immutable$/);
});

test('a request without count asks for one device', async () => {
  const value = claim({
    requests: [
      { name: 'r', allocationMode: 'ExactCount', adminAccess: true },
      { name: 'a', allocationMode: 'All' },
    ],
  });
  const [counted, all] = (await loadKind(version, 'ResourceClaim')).decode(value).object.spec.devices.requests;
  assert.is(JSON.stringify(counted), '{"name":"r","deviceClassName":"","allocationMode":"ExactCount","count":1,"adminAccess":true}');
  assert.is(all.count, undefined);
});

test('admin access needs its gate', () => {
  const asked = (): ApiObject => claim({ requests: [{ ...request, adminAccess: true }] });
  const [off, on, used] = [asked(), asked(), asked()];
  claimRules.prepareForCreate?.(off, context);
  claimRules.prepareForCreate?.(on, ruleContext('DRAAdminAccess'));
  claimRules.prepareForUpdate?.(used, asked(), context);
  assert.equal(
    [off, on, used].map((value) => value.spec.devices.requests[0].adminAccess),
    [undefined, true, true],
  );
});

const result = { request: 'r', driver: 'd.example.com', pool: 'p', device: 'dev0', adminAccess: null };
const allocation = { devices: { results: [result] } };
const pod = { resource: 'pods', name: 'p', uid: 'u' };
const device = { driver: 'd.example.com', pool: 'p', device: 'dev0', conditions: null };
const networkData = (ips: string[]): object => ({ allocation, devices: [{ ...device, networkData: { ips } }] });

const statuses: [string, object, object, string[]][] = [
  ['allocated and reserved', { allocation, reservedFor: [pod] }, {}, []],
  ['reserved only', { reservedFor: [pod] }, {}, ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set']],
  ['reserved twice', { allocation, reservedFor: [pod, pod] }, {}, ['status.reservedFor[1].uid: Duplicate value: "u"']],
  [
    'another request',
    { allocation: { devices: { results: [{ ...result, request: 'q' }] } } },
    {},
    ['status.allocation.devices.results[0].request: Invalid value: "q": must be the name of a request in the claim'],
  ],
  [
    'no pool',
    { allocation: { devices: { results: [{ ...result, pool: '' }] } } },
    {},
    ['status.allocation.devices.results[0].pool: Required value'],
  ],
  [
    'settings from elsewhere',
    { allocation: { devices: { config: [{ source: 'X', opaque }] } } },
    {},
    ['status.allocation.devices.config[0].source: Unsupported value: "X": supported values: "FromClaim", "FromClass"'],
  ],
  [
    'nodes by a label that none has',
    {
      allocation: {
        ...allocation,
        nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] }] },
      },
    },
    {},
    [
      `status.allocation.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
  ['a device that reports', { allocation, devices: [device] }, {}, []],
  [
    'a device of nobody',
    { allocation, devices: [{ ...device, device: 'dev1' }] },
    {},
    ['status.devices[0]: Invalid value: d.example.com/p/dev1: must be an allocated device in the claim'],
  ],
  [
    'two reports of one device',
    { allocation, devices: [device, device] },
    {},
    ['status.devices[1].deviceID: Duplicate value: d.example.com/p/dev0'],
  ],
  [
    'a condition without time',
    {
      allocation,
      devices: [{ ...device, conditions: [{ type: 'Ready', status: 'True', reason: 'R', message: '', lastTransitionTime: null }] }],
    },
    {},
    ['status.devices[0].conditions[0].lastTransitionTime: Required value: must be set'],
  ],
  ['addresses', networkData(['10.0.0.1/8', '2001:db8::1/64']), {}, []],
  [
    'no address',
    networkData(['x']),
    {},
    ['status.devices[0].networkData.ips[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'],
  ],
  [
    'an address in another spelling',
    networkData(['2001:0db8::1/64']),
    {},
    ['status.devices[0].networkData.ips[0]: Invalid value: "2001:0db8::1/64": must be in canonical form (2001:db8::1/64)'],
  ],
  [
    'what was stored is let be',
    { allocation: { devices: { results: [{ ...result, pool: '' }] } } },
    { allocation: { devices: { results: [{ ...result, pool: '' }] } } },
    [],
  ],
];
for (const [name, status, old, expected] of statuses) {
  test(`status: ${name}`, () => {
    const devices = { requests: [request] };
    assert.equal(lines(claimRules.validateStatusUpdate?.(claim(devices, status), claim(devices, old), context)), expected);
  });
}

test('a report goes with its allocation, and needs its gate', () => {
  const devices = { requests: [request] };
  const gone = claim(devices, { devices: [device] });
  claimRules.prepareForStatusUpdate?.(gone, claim(devices, { allocation, devices: [device] }), context);
  const gated = claim(devices, { allocation, devices: [device] });
  claimRules.prepareForStatusUpdate?.(gated, claim(devices, { allocation }), context);
  assert.equal([gone.status.devices, gated.status.devices], [undefined, undefined]);
});

const states: [object, object, string][] = [
  [{}, {}, 'pending'],
  [{ allocation }, {}, 'allocated'],
  [{ allocation, reservedFor: [pod] }, {}, 'allocated,reserved'],
  [{}, { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'deleted'],
  [{ allocation }, { deletionTimestamp: '2026-01-01T00:00:00Z' }, 'deleted,allocated'],
];
for (const [status, metadata, expected] of states) {
  test(`state: ${expected}`, async () => {
    assert.equal(await rowOf(object(version, 'ResourceClaim', { spec: {}, status }, metadata), now), ['x', expected, '5s']);
  });
}

test('class: conditions may name parts of a device, and do not cost too much', () => {
  const ten = '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]';
  const loops = ['a', 'b', 'c', 'd', 'e', 'f'].reduceRight((inner, name) => `${ten}.all(${name}, ${inner})`, 'true');
  const expressions = ['cel.bind(d, device.attributes["d.example.com"], d.fast && d.size > 1)', loops];
  const value = object(version, 'DeviceClass', { spec: { selectors: expressions.map((expression) => ({ cel: { expression } })) } });
  assert.equal(lines(classRules.validate?.(value, context)), [
    'spec.selectors[1].cel.expression: Forbidden: too complex, exceeds cost limit',
  ]);
});

test('values are shown by the names that Go has', () => {
  assert.is(
    goSyntax(goStruct(DeviceAttribute), {}),
    'resource.DeviceAttribute{IntValue:(*int64)(nil), BoolValue:(*bool)(nil), StringValue:(*string)(nil), VersionValue:(*string)(nil)}',
  );
  assert.is(goSyntax(goStruct(DeviceSelector), {}), 'resource.DeviceSelector{CEL:(*resource.CELDeviceSelector)(nil)}');
});

test('class: selectors and settings', () => {
  const value = object(version, 'DeviceClass', { spec: { selectors: [{}], config: [{ opaque: { ...opaque, parameters: null } }] } });
  assert.equal(lines(classRules.validate?.(value, context)), [
    'spec.selectors[0].cel: Required value',
    'spec.config[0].opaque.parameters: Required value',
  ]);
});

const slice = (members: object): ApiObject =>
  object(version, 'ResourceSlice', {
    spec: {
      driver: 'd.example.com',
      pool: { name: 'p/q', generation: 0, resourceSliceCount: 1 },
      nodeName: 'n',
      devices: null,
      ...members,
    },
  });
const withDevice = (basic: object): object => ({ devices: [{ name: 'dev0', basic }] });
const basic = 'spec.devices[0].basic';

const slices: [string, object, string[]][] = [
  ['a good one', withDevice({ attributes: { 'd.example.com/a': { int: 1 } }, capacity: { memory: { value: '1Gi' } } }), []],
  [
    'a pool without slices',
    { pool: { name: 'p', generation: -1, resourceSliceCount: 0 } },
    [
      'spec.pool.resourceSliceCount: Invalid value: 0: must be greater than zero',
      'spec.pool.generation: Invalid value: -1: must be greater than or equal to zero',
    ],
  ],
  ['nowhere', { nodeName: undefined }, ['spec: Required value: exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required']],
  [
    'in two ways',
    { allNodes: true },
    [
      'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required, but multiple fields are set',
    ],
  ],
  [
    'on nodes that are picked in two ways: keys and values are looked at',
    {
      nodeName: undefined,
      nodeSelector: {
        nodeSelectorTerms: [
          { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }, { operator: 'Exists' }] },
          { matchFields: [{ key: 'metadata.name', operator: 'In' }] },
        ],
      },
    },
    [
      'spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must be non-empty',
      `spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[1].key: Invalid value: "": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      "spec.nodeSelector.nodeSelectorTerms[1].matchFields[0].values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
      `spec.nodeSelector.nodeSelectorTerms[0].matchExpressions[0].values[0]: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      'spec.nodeSelector.nodeSelectorTerms: Invalid value: [{"matchExpressions":[{"key":"a","operator":"In","values":["-"]},{"operator":"Exists"}]},{"matchFields":[{"key":"metadata.name","operator":"In"}]}]: must have exactly one node selector term',
    ],
  ],
  ['a device of no kind', { devices: [{ name: 'dev0' }] }, [`${basic}: Required value`]],
  [
    'a name that is no identifier',
    withDevice({ attributes: { '1a': { int: 1 } } }),
    [
      `${basic}.attributes[1a]: Invalid value: "1a": a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')`,
    ],
  ],
  [
    'a name that is too long for its path too',
    withDevice({ attributes: { ['x'.repeat(100)]: { int: 1 } } }),
    [`${basic}.attributes[${'x'.repeat(47)}...${'x'.repeat(46)}]: Too long: may not be more than 32 bytes`],
  ],
  ['no value', withDevice({ attributes: { a: {} } }), [`${basic}.attributes[a]: Required value: exactly one value must be specified`]],
  [
    'two values',
    withDevice({ attributes: { a: { int: 1, bool: true } } }),
    [`${basic}.attributes[a]: Invalid value: {"int":1,"bool":true}: exactly one value must be specified`],
  ],
  [
    'no version',
    withDevice({ attributes: { a: { version: '1.2' } } }),
    [`${basic}.attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`],
  ],
  [
    'too many properties',
    withDevice({ attributes: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`a${index}`, { int: 1 }])) }),
    [`${basic}: Invalid value: 33: the total number of attributes and capacities must not exceed 32`],
  ],
];
for (const [name, members, expected] of slices)
  test(`slice: ${name}`, () => assert.equal(lines(sliceRules.validate?.(slice(members), context)), expected));

test('driver, pool and node of a slice never change', () => {
  const changed = slice({ driver: 'e.example.com', pool: { name: 'r', generation: 0, resourceSliceCount: 1 }, nodeName: 'm' });
  assert.equal(lines(sliceRules.validate?.(changed, context, slice({}))), [
    'spec.pool.name: Invalid value: "r": field is immutable',
    'spec.driver: Invalid value: "e.example.com": field is immutable',
    'spec.nodeName: Invalid value: "m": field is immutable',
  ]);
});

test('capacities of v1alpha3 are quantities', async () => {
  const kind = await loadKind('resource.k8s.io/v1alpha3', 'ResourceSlice');
  const spec = { driver: 'd', pool: { name: 'p' }, devices: [{ name: 'a', basic: { capacity: { memory: '1Gi' } } }] };
  const { object: decoded } = kind.decode({ metadata: { name: 'x' }, spec });
  const hub = kind.toHub(structuredClone(decoded));
  assert.equal(hub.spec.devices[0].basic.capacity, { memory: { value: '1Gi' } });
  assert.equal(kind.fromHub(hub), decoded);
});

test.run();
