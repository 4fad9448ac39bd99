import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { creationErrors, lines, ruleContext } from '../context.ts';
import { rowOf } from '../kind.ts';
import { testKind } from './kinds.ts';

const test = suite('quotas, limits, endpoints, events, controllers');
const context = ruleContext();
const quotas = await testKind('ResourceQuota');
const limits = await testKind('LimitRange');
const endpoints = await testKind('Endpoints');
const events = await testKind('Event');
const controllers = await testKind('ReplicationController');
const templates = await testKind('PodTemplate');
const now = Date.parse('2026-01-01T00:10:00Z');

const opposite = {
  matchExpressions: ['Terminating', 'NotTerminating'].map((scopeName) => ({ scopeName, operator: 'Exists' })),
};
const quotaRows: [string, object, string[]][] = [
  ['nothing', {}, []],
  ['things', { hard: { pods: '10', 'requests.cpu': '1', 'count/widgets.example.com': '3', 'hugepages-2Mi': '1' } }, []],
  [
    'what nobody counts',
    { hard: { gold: '1' } },
    [
      'spec.hard[gold]: Invalid value: gold: must be a standard resource type or fully qualified',
      'spec.hard[gold]: Invalid value: gold: must be a standard resource for quota',
    ],
  ],
  [
    'half a pod, and less than none',
    { hard: { pods: '1500m', services: '-1' } },
    [
      'spec.hard[pods]: Invalid value: resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
      'spec.hard[services]: Invalid value: "-1": must be greater than or equal to 0',
    ],
  ],
  [
    'scopes',
    { hard: { cpu: '1' }, scopes: ['X', 'BestEffort', 'NotBestEffort'] },
    [
      'spec.scopes: Invalid value: []string{"X", "BestEffort", "NotBestEffort"}: unsupported scope',
      'spec.scopes: Invalid value: []string{"X", "BestEffort", "NotBestEffort"}: unsupported scope applied to resource',
      'spec.scopes: Invalid value: []string{"X", "BestEffort", "NotBestEffort"}: conflicting scopes',
    ],
  ],
  [
    'a selector of scopes',
    { hard: { pods: '1' }, scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
  [
    'a selector of opposite scopes',
    { hard: { pods: '1' }, scopeSelector: opposite },
    ['spec.scopeSelector.matchExpressions: Invalid value: []core.ResourceQuotaScope(nil): conflicting scopes'],
  ],
  [
    'a selector of opposite scopes beside scopes',
    { hard: { pods: '1' }, scopes: ['PriorityClass'], scopeSelector: opposite },
    ['spec.scopeSelector.matchExpressions: Invalid value: []core.ResourceQuotaScope{"PriorityClass"}: conflicting scopes'],
  ],
];
for (const [name, spec, expected] of quotaRows) test(`quotas: ${name}`, () => assert.equal(quotas.errors({ spec }), expected));

test('quotas: scopes stay, in whatever order', () => {
  assert.equal(
    quotas.changeErrors({ spec: { scopes: ['Terminating', 'PriorityClass'] } }, { spec: { scopes: ['PriorityClass', 'Terminating'] } }),
    [],
  );
  assert.equal(quotas.changeErrors({ spec: {} }, { spec: { scopes: ['Terminating'] } }), [
    'spec.scopes: Invalid value: []core.ResourceQuotaScope(nil): field is immutable',
  ]);
});

test('quotas: cells keep limits apart', async () => {
  const object = quotas.make({ status: { hard: { pods: '10', 'limits.cpu': '4', cpu: '2' }, used: { pods: '3' } } });
  assert.equal(await rowOf(object, now), ['x', '<unknown>', 'cpu: 0/2, pods: 3/10', 'limits.cpu: 0/4']);
});

test('limits: what is left out follows from what there is', () => {
  const { spec } = limits.make({
    spec: {
      limits: [
        { type: 'Container', max: { cpu: '2', memory: '1Gi' }, min: { cpu: '1', 'a.com/b': '1' }, defaultRequest: { memory: '1Mi' } },
      ],
    },
  });
  assert.equal(spec.limits[0].default, { cpu: '2', memory: '1Gi' });
  assert.equal(spec.limits[0].defaultRequest, { 'a.com/b': '1', cpu: '2', memory: '1Mi' });
  assert.is(limits.make({ spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }).spec.limits[0].default, undefined);
});

test('limits: the server names what nobody names', async () => {
  const object = limits.make({}, { name: '' });
  await limits.rules.prepareForCreate?.(object, context);
  assert.match(object.metadata.name ?? '', /^[0-9a-f-]{36}$/);
});

/** An amount as Go shows it. */
const goAmount = (value: string, text: string): string =>
  `resource.Quantity{i:resource.int64Amount{${value}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"${text}", Format:"DecimalSI"}`;

const limitRows: [string, object[], string[]][] = [
  ['a good one', [{ type: 'Container', max: { cpu: '2' }, min: { cpu: '1' } }], []],
  ['one type twice', [{ type: 'Pod' }, { type: 'Pod' }], ['spec.limits[1].type: Duplicate value: "Pod"']],
  [
    'a type of nobody',
    [{ type: 'Node' }],
    ['spec.limits[0].type: Invalid value: "Node": must be a standard limit type or fully qualified'],
  ],
  [
    'defaults of pods',
    [{ type: 'Pod', default: { cpu: '1' } }],
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    'claims without storage',
    [{ type: 'PersistentVolumeClaim' }],
    ['spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided'],
  ],
  [
    'more at least than at most',
    [{ type: 'Pod', min: { cpu: '3' }, max: { cpu: '2' } }],
    [`spec.limits[0].min[cpu]: Invalid value: ${goAmount('value:3, scale:0', '3')}: min value 3 is greater than max value 2`],
  ],
  [
    'ratios',
    [{ type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }],
    [
      `spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ${goAmount('value:3, scale:0', '3')}: ratio 3 is greater than max/min = 2.000000`,
    ],
  ],
  [
    'half a ratio',
    [{ type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } }],
    [`spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: ${goAmount('value:500, scale:-3', '500m')}: ratio 500m is less than 1`],
  ],
  [
    'names that all objects inherit',
    [{ type: 'Pod', max: { constructor: '1' } }],
    [
      'spec.limits[0].max[constructor]: Invalid value: constructor: must be a standard resource type or fully qualified',
      'spec.limits[0].max[constructor]: Invalid value: constructor: must be a standard resource for containers',
    ],
  ],
];
for (const [name, items, expected] of limitRows)
  test(`limits: ${name}`, () => assert.equal(limits.errors({ spec: { limits: items } }), expected));

const endpointRows: [string, object[], string[]][] = [
  ['a good one', [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }], []],
  ['nothing in a subset', [{ ports: [{ port: 80 }] }], ['subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`']],
  [
    'addresses',
    [{ addresses: [{ ip: 'x' }], notReadyAddresses: [{ ip: '::1' }] }],
    [
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
      'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address',
      'subsets[0].notReadyAddresses[0].ip: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
    ],
  ],
  [
    'ports',
    [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 0 }, { name: 'b', port: 1, protocol: 'X' }] }],
    [
      'subsets[0].ports[0].name: Required value',
      'subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive',
      'subsets[0].ports[1].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    ],
  ],
];
for (const [name, subsets, expected] of endpointRows)
  test(`endpoints: ${name}`, () => assert.equal(endpoints.errors({ subsets }), expected));

const endpointCells: [string, object[] | undefined, string][] = [
  ['none', undefined, '<none>'],
  ['none ready', [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }], ''],
  ['without ports', [{ addresses: [{ ip: '10.0.0.1' }] }], '10.0.0.1'],
  ['of both families', [{ addresses: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], ports: [{ port: 80 }] }], '10.0.0.1:80,[fd00::1]:80'],
  [
    'more than are shown',
    [{ addresses: [1, 2, 3, 4, 5].map((i) => ({ ip: `10.0.0.${i}` })), ports: [{ port: 80 }] }],
    '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 2 more...',
  ],
];
for (const [name, subsets, expected] of endpointCells)
  test(`endpoints: cell of ${name}`, async () => assert.is((await rowOf(endpoints.make({ subsets }), now))[1], expected));

const about = { kind: 'Pod', name: 'p', namespace: 'n' };
const fresh = {
  eventTime: '2026-01-01T00:00:00.000000Z',
  reportingComponent: 'a/b',
  reportingInstance: 'i',
  action: 'a',
  reason: 'r',
  type: 'Normal',
  involvedObject: about,
};
const eventRows: [string, object, string, string[]][] = [
  ['an old form', { involvedObject: about }, 'v1', []],
  [
    'something of another namespace',
    { involvedObject: { ...about, namespace: 'm' } },
    'v1',
    ['involvedObject.namespace: Invalid value: "m": does not match event.namespace'],
  ],
  [
    'something of no namespace',
    { involvedObject: { kind: 'Node' } },
    'v1',
    ['involvedObject.namespace: Invalid value: "": does not match event.namespace'],
  ],
  ['a new form', fresh, 'v1', []],
  [
    'a new form without its parts',
    { involvedObject: about, eventTime: fresh.eventTime },
    'v1',
    [
      'reportingComponent: Required value',
      'reportingComponent: Invalid value: "": name part must be non-empty',
      'reportingComponent: Invalid value: "": name part must consist of',
      'reportingInstance: Required value',
      'action: Required value',
      'reason: Required value',
    ],
  ],
  [
    'a controller without a good name, in the new group',
    { ...fresh, reportingController: 'a b', reportingComponent: 'a b', type: 'Normal' },
    'events.k8s.io/v1',
    ['reportingController: Invalid value: "a b": name part must consist of'],
  ],
  ['too long a message', { ...fresh, message: 'x'.repeat(1025) }, 'v1', ['message: Invalid value: "": can have at most 1024 characters']],
  ['the new group', fresh, 'events.k8s.io/v1', []],
  [
    'an old form in the new group',
    { involvedObject: about, count: 1, source: { component: 'c' } },
    'events.k8s.io/v1',
    [
      'eventTime: Required value',
      'type: Invalid value: "": has invalid value: ',
      'count: Invalid value: "": needs to be unset',
      'source: Invalid value: "": needs to be unset',
    ],
  ],
  [
    'a series of one',
    { ...fresh, series: { count: 1, lastObservedTime: fresh.eventTime } },
    'events.k8s.io/v1',
    ['series.count: Invalid value: "": should be at least 2'],
  ],
];
for (const [name, members, requestVersion, expected] of eventRows)
  test(`events: ${name}`, () => {
    const found = creationErrors(events.rules, events.make(members), { ...context, request: { ...OWN_WORK, version: requestVersion } });
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

test('events: only a series goes on, in the new group', () => {
  const [event, old] = [
    events.make({ ...fresh, reason: 'other', series: { count: 2, lastObservedTime: fresh.eventTime } }),
    events.make(fresh),
  ];
  assert.equal(lines(events.rules.validateUpdate?.(event, old, { ...context, request: { ...OWN_WORK, version: 'v1' } })), []);
  const twice = 'reason: Invalid value: "other": field is immutable';
  assert.equal(lines(events.rules.validateUpdate?.(event, old, { ...context, request: { ...OWN_WORK, version: 'events.k8s.io/v1' } })), [
    twice,
    twice,
  ]);
});

test('events: what is taken away in the new group', () => {
  const event = events.make({ ...fresh, involvedObject: undefined });
  const old = events.make({ ...fresh, source: { component: 'a' }, related: { kind: 'Node', name: 'n' } });
  assert.equal(lines(events.rules.validateUpdate?.(event, old, { ...context, request: { ...OWN_WORK, version: 'events.k8s.io/v1' } })), [
    'involvedObject: Invalid value: {}: field is immutable',
    'source: Invalid value: {}: field is immutable',
    'related: Invalid value: "null": field is immutable',
  ]);
});

test('events: a time that is taken away in the new group', () => {
  const event = events.make({ ...fresh, eventTime: undefined });
  assert.equal(
    lines(events.rules.validateUpdate?.(event, events.make(fresh), { ...context, request: { ...OWN_WORK, version: 'events.k8s.io/v1' } })),
    ['eventTime: Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable'],
  );
});

test('events: cells', async () => {
  const old = events.make({
    involvedObject: about,
    source: { component: 'c', host: 'h' },
    message: ' m\n',
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:05:00Z',
    count: 3,
  });
  assert.equal(await rowOf(old, now), ['5m', '', '', 'pod/p', '', 'c, h', 'm', '10m', 3, 'x']);
  const series = events.make({ ...fresh, series: { count: 7, lastObservedTime: '2026-01-01T00:08:00.000000Z' } });
  assert.equal(await rowOf(series, now), ['2m', 'Normal', 'r', 'pod/p', '', 'a/b, i', '', '10m', 7, 'x']);
  assert.is(events.rules.selectableField?.(series, 'source'), 'a/b');
});

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } };

test('controllers: labels of the template select, and are the labels of the controller', () => {
  const object = controllers.make({ spec: { template } });
  assert.equal([object.spec.selector, object.metadata.labels, object.spec.replicas], [{ app: 'a' }, { app: 'a' }, 1]);
});

const controllerRows: [string, object, string[]][] = [
  ['a good one', { template }, []],
  ['nothing', {}, ['spec.selector: Required value', 'spec.template: Required value']],
  [
    'a selector of other pods',
    { template, selector: { b: 'c' }, replicas: -1 },
    [
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'pods that end',
    { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 1 } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
    ],
  ],
];
for (const [name, spec, expected] of controllerRows)
  test(`controllers: ${name}`, () => assert.equal(controllers.errors({ spec }), expected));

test('controllers: more ready than there are', () => {
  const [old, object] = [{}, { replicas: 1, readyReplicas: 2, availableReplicas: -1 }].map((status) =>
    controllers.make({ spec: { template }, status }),
  );
  assert.equal(lines(controllers.rules.validateStatusUpdate?.(object as ApiObject, old as ApiObject, context)), [
    'status.availableReplicas: Invalid value: -1: must be greater than or equal to 0',
    'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
  ]);
});

test('controllers and templates: cells', async () => {
  assert.equal(await rowOf(controllers.make({ spec: { template } }), now), ['x', 1, 0, 0, '<unknown>', 'c', 'nginx:1', 'app=a']);
  assert.equal(await rowOf(templates.make({ template }), now), ['x', 'c', 'nginx:1', 'app=a']);
});

test('templates: paths begin at the template', () =>
  assert.equal(templates.errors({ template: { spec: {} } }), ['template.spec.containers: Required value']));

const TEXT = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const doubtful = (generation: number, labels: object = { 'beta.kubernetes.io/os': 'linux' }) => ({
  metadata: { name: 'x', generation },
  template: { spec: { nodeSelector: labels } },
});
test('pod templates: what is doubtful is said of a new one, and of one that asks for something else', () => {
  const rules = templates.rules;
  const warned = [`template.spec.nodeSelector[beta.kubernetes.io/os]: ${TEXT}`];
  assert.equal(rules.warnings?.(doubtful(1) as never, undefined, ruleContext()), warned);
  assert.equal(rules.warnings?.(doubtful(1) as never, doubtful(1) as never, ruleContext()), []);
  assert.equal(rules.warnings?.(doubtful(2) as never, doubtful(1, {}) as never, ruleContext()), warned);
});

test('replication controllers: of one that asks for something else, what was doubtful before is said', () => {
  const { rules } = controllers;
  const made = (...of: Parameters<typeof doubtful>) => {
    const { metadata, ...spec } = doubtful(...of);
    return { metadata, spec } as never;
  };
  const warned = [`spec.template.spec.nodeSelector[beta.kubernetes.io/os]: ${TEXT}`];
  assert.equal(rules.warnings?.(made(1), undefined, ruleContext()), warned);
  assert.equal(rules.warnings?.(made(1), made(1), ruleContext()), []);
  assert.equal(rules.warnings?.(made(2, {}), made(1), ruleContext()), warned);
  assert.equal(rules.warnings?.(made(2), made(1, {}), ruleContext()), []);
});

test.run();
