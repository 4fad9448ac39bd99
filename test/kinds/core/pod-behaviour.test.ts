import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { ephemeralContainers, resize } from '../../../runtime/kinds/core/pods/pod-parts.ts';
import { qosClassOf } from '../../../runtime/kinds/core/pods/pod-qos.ts';
import { lines, ruleContext } from '../context.ts';
import { loadKind } from '../kind.ts';
import { container, pod, podOf, rules } from './pods.ts';

const test = suite('pods: behaviour');
const { rules: binding } = await loadKind('v1', 'Binding');
const context = ruleContext();

const policies: [string, string][] = [
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.27', 'IfNotPresent'],
  ['registry:5000/nginx', 'Always'],
  ['registry:5000/nginx:1', 'IfNotPresent'],
  ['nginx@sha256:0123', 'IfNotPresent'],
  ['', 'IfNotPresent'],
];
for (const [image, policy] of policies)
  test(`image ${JSON.stringify(image)} is pulled ${policy}`, () => assert.is(podOf({ image }).spec.containers[0].imagePullPolicy, policy));

test('requests follow limits, in the order of their names', () => {
  const { resources } = podOf({ resources: { limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '500m' } } }).spec.containers[0];
  assert.equal(resources, { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m', memory: '1Gi' } });
  assert.equal(Object.keys(resources.requests), ['cpu', 'memory']);
});

test('ports of a pod on the network of its node are ports there', () =>
  assert.is(podOf({ ports: [{ containerPort: 80 }] }, { hostNetwork: true }).spec.containers[0].ports[0].hostPort, 80));

test('a name that makes a poor host name is warned of, when the pod is created', () => {
  const dotted = pod();
  dotted.metadata.name = 'a.b';
  assert.equal(rules.warnings?.(dotted, undefined, context), [
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]",
  ]);
  assert.equal(rules.warnings?.(dotted, dotted, context), []);
});

test('the account has two names, the volume a source, the pod links to services', () => {
  const { spec } = pod({ serviceAccount: 'a', volumes: [{ name: 'v' }] });
  assert.is(spec.serviceAccountName, 'a');
  assert.equal(spec.volumes, [{ name: 'v', emptyDir: {} }]);
  assert.is(spec.enableServiceLinks, true);
});

test('a negative time to end is the shortest', () =>
  assert.is(pod({ terminationGracePeriodSeconds: -5 }).spec.terminationGracePeriodSeconds, 1));

test('defaults are idempotent', () => {
  const once = podOf({ resources: { limits: { cpu: '1' } } }, { hostNetwork: true, volumes: [{ name: 'v' }] });
  const twice = structuredClone(once);
  rules.defaults?.(twice, context);
  assert.equal(twice, once);
});

const resources: [string, object[], string][] = [
  ['nothing', [{}], 'BestEffort'],
  ['zero', [{ requests: { cpu: '0' } }], 'BestEffort'],
  ['requests only', [{ requests: { cpu: '1' } }], 'Burstable'],
  ['limits of one resource', [{ limits: { cpu: '1' }, requests: { cpu: '1' } }], 'Burstable'],
  ['equal limits', [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }], 'Guaranteed'],
  ['lower requests', [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Mi' } }], 'Burstable'],
  ['one container of two', [{ limits: { cpu: '1', memory: '1' }, requests: { cpu: '1', memory: '1' } }, {}], 'Burstable'],
];
for (const [name, list, expected] of resources)
  test(`quality of service: ${name}`, () =>
    assert.is(qosClassOf({ containers: list.map((entry) => ({ resources: entry })) }, context), expected));

test('a new pod is pending, and gated where it has gates', async () => {
  const plain = pod({}, {}, { phase: 'Running' });
  await rules.prepareForCreate?.(plain, context);
  assert.equal(plain.status, { phase: 'Pending', qosClass: 'BestEffort' });
  const gated = pod({ schedulingGates: [{ name: 'g' }] });
  await rules.prepareForCreate?.(gated, context);
  assert.is(gated.status.conditions[0].reason, 'SchedulingGated');
});

test('terms that match the labels of the pod itself select by their values', async () => {
  const object = pod(
    {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'z', labelSelector: {}, matchLabelKeys: ['app', 'constructor'], mismatchLabelKeys: ['tier'] },
          ],
        },
      },
    },
    { labels: { app: 'a', tier: 'b' } },
  );
  await rules.prepareForCreate?.(object, context);
  assert.equal(object.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector, {
    matchExpressions: [
      { key: 'app', operator: 'In', values: ['a'] },
      { key: 'tier', operator: 'NotIn', values: ['b'] },
    ],
  });
});

test('profiles in fields become annotations, those in annotations fields', async () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/c';
  const byField = podOf({ securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: 'p' } } });
  await rules.prepareForCreate?.(byField, context);
  assert.equal(byField.metadata.annotations, { [key]: 'localhost/p' });
  const byAnnotation = pod({}, { annotations: { [key]: 'runtime/default' } });
  const warnings: string[] = [];
  const warning = { ...context, request: { ...context.request, warn: (text: string) => void warnings.push(text) } };
  await rules.prepareForCreate?.(byAnnotation, warning);
  assert.equal(byAnnotation.spec.containers[0].securityContext, { appArmorProfile: { type: 'RuntimeDefault' } });
  assert.equal(warnings, [`metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`]);
  await rules.prepareForCreate?.(byAnnotation, warning);
  assert.is(warnings.length, 1);
});

const stored = (change: (object: ApiObject) => void = () => {}, spec: object = {}, status?: object): ApiObject => {
  const object = pod({ tolerations: [{ key: 'a', operator: 'Exists' }], ...spec }, { resourceVersion: '1' }, status);
  change(object);
  return object;
};
const FIXED = 'spec: Forbidden: pod updates may not change fields other than';

const changes: [string, (object: ApiObject) => void, string[], object?][] = [
  ['nothing', () => {}, []],
  ['another image', ({ spec }) => (spec.containers[0].image = 'b'), []],
  ['no image', ({ spec }) => delete spec.containers[0].image, ['spec.containers[0].image: Required value']],
  ['one more toleration', ({ spec }) => spec.tolerations.push({ key: 'b', operator: 'Exists' }), []],
  [
    'longer toleration',
    ({ spec }) => (spec.tolerations[0] = { ...spec.tolerations[0], effect: 'NoExecute' }),
    ['spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds'],
  ],
  ['a deadline', ({ spec }) => (spec.activeDeadlineSeconds = 5), []],
  [
    'a later deadline',
    ({ spec }) => (spec.activeDeadlineSeconds = 6),
    ['spec.activeDeadlineSeconds: Invalid value: 6: must be less than or equal to previous value'],
    { activeDeadlineSeconds: 5 },
  ],
  [
    'no deadline',
    ({ spec }) => delete spec.activeDeadlineSeconds,
    ['spec.activeDeadlineSeconds: Invalid value', FIXED].slice(0, 1),
    { activeDeadlineSeconds: 5 },
  ],
  [
    'one more container',
    ({ spec }) => spec.containers.push(container),
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
  [
    'no containers at all',
    ({ spec }) => (spec.containers = null),
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
  ['another node', ({ spec }) => (spec.nodeName = 'n'), [FIXED]],
  ['a gate gone', ({ spec }) => delete spec.schedulingGates, [], { schedulingGates: [{ name: 'g' }] }],
  [
    'a gate come',
    ({ spec }) => (spec.schedulingGates = [{ name: 'g' }]),
    ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'g'"],
  ],
  ['a narrower selector of a gated pod', ({ spec }) => (spec.nodeSelector = { a: 'b' }), [], { schedulingGates: [{ name: 'g' }] }],
  [
    'another selector of a gated pod',
    ({ spec }) => (spec.nodeSelector = { a: 'c' }),
    ['spec.nodeSelector: Invalid value: {"a":"c"}: only additions'],
    { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
  ],
  [
    'no selector any more',
    ({ spec }) => delete spec.nodeSelector,
    ['spec.nodeSelector: Invalid value: map[string]string(nil): only additions'],
    { schedulingGates: [{ name: 'g' }], nodeSelector: { a: 'b' } },
  ],
  [
    'no affinity any more',
    ({ spec }) => delete spec.affinity,
    [
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Invalid value: []core.NodeSelectorTerm(nil): no',
    ],
    {
      schedulingGates: [{ name: 'g' }],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
        },
      },
    },
  ],
  ['a selector of a pod without gates', ({ spec }) => (spec.nodeSelector = { a: 'b' }), [FIXED]],
  [
    'the mirror annotation',
    ({ metadata }) => (metadata.annotations = { 'kubernetes.io/config.mirror': 'm' }),
    [
      'metadata.annotations[kubernetes.io/config.mirror]: Forbidden: may not add mirror pod annotation',
      'metadata.annotations[kubernetes.io/config.mirror]: Invalid value: "m": must set spec.nodeName if mirror pod annotation is set',
    ],
  ],
];
for (const [name, change, expected, spec] of changes)
  test(`update: ${name}`, () => {
    const found = lines(rules.validateUpdate?.(stored(change, spec), stored(undefined, spec), context));
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

const running = { containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 1 } } }], qosClass: 'BestEffort' };
const statuses: [string, object, string[], object?][] = [
  ['nothing', running, []],
  ['a container that starts again', { ...running, containerStatuses: [{ name: 'c', state: { running: {} } }] }, []],
  [
    'a container that must not start again',
    { ...running, containerStatuses: [{ name: 'c', state: { running: {} } }] },
    ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    { restartPolicy: 'Never' },
  ],
  [
    'another quality of service',
    { ...running, qosClass: 'Burstable' },
    ['status.qosClass: Invalid value: "Burstable": field is immutable'],
  ],
  [
    'addresses',
    { ...running, podIP: 'x', podIPs: [{ ip: 'x' }], hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
    [
      'status.podIPs[0]: Invalid value: "x": must be a valid IP address',
      'status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`',
    ],
  ],
  [
    'two addresses of one family',
    { ...running, podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
    ['status.podIPs: Invalid value: [{"ip":"10.0.0.1"},{"ip":"10.0.0.2"}]: may specify no more than one IP for each IP family'],
  ],
  ['both families', { ...running, podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }, { ip: '::1' }] }, []],
];
for (const [name, status, expected, spec] of statuses)
  test(`status: ${name}`, () => {
    const found = lines(rules.validateStatusUpdate?.(stored(undefined, spec, status), stored(undefined, spec, running), context));
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, beginning] of expected.entries()) assert.ok(found[index]?.startsWith(beginning), found[index]);
  });

test('a status without a quality of service keeps it, and owners stay', () => {
  const object = pod({}, { ownerReferences: [] }, { phase: 'Running' });
  rules.prepareForStatusUpdate?.(object, pod({}, {}, running), context);
  assert.is(object.status.qosClass, 'BestEffort');
  assert.is(object.metadata.ownerReferences, undefined);
});

const graces: [string, object, object | undefined, bigint | undefined, bigint][] = [
  ['of a pod on no node', {}, undefined, 10n, 0n],
  ['of its own', { nodeName: 'n' }, { phase: 'Running' }, undefined, 30n],
  ['of the request', { nodeName: 'n' }, { phase: 'Running' }, 5n, 5n],
  ['of a pod that has ended', { nodeName: 'n' }, { phase: 'Failed' }, 5n, 0n],
  ['that is negative', { nodeName: 'n' }, { phase: 'Running' }, -3n, 1n],
];
for (const [name, spec, status, requested, expected] of graces)
  test(`grace period: one ${name}`, () => assert.is(rules.gracePeriodSeconds?.(pod(spec, {}, status), requested), expected));

test('selectable fields', () => {
  const object = pod({}, {}, { podIP: '10.0.0.1' });
  assert.is(rules.selectableField?.(object, 'spec.hostNetwork'), 'false');
  assert.is(rules.selectableField?.(object, 'status.podIP'), '10.0.0.1');
  assert.is(rules.selectableField?.(object, 'status.phase'), undefined);
});

const ephemeral = { name: 'e', image: 'a' };
const added: [string, object[], object[], string[]][] = [
  ['one more', [], [ephemeral], []],
  ['one less', [ephemeral], [], ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be removed\n']],
  [
    'another image',
    [ephemeral],
    [{ ...ephemeral, image: 'b' }],
    ['spec.ephemeralContainers: Forbidden: existing ephemeral containers "e" may not be changed\n(spec.ephemeralContainers[])'],
  ],
];
for (const [name, before, now, expected] of added)
  test(`ephemeral containers: ${name}`, () => {
    const [object, old] = [pod(), pod()];
    object.spec.ephemeralContainers = now;
    old.spec.ephemeralContainers = before;
    assert.equal(lines(ephemeralContainers.validateUpdate(object, old, context)), expected);
  });

const sizes: [string, object, object, string[]][] = [
  ['more', { limits: { cpu: '1' } }, { limits: { cpu: '2' } }, []],
  [
    'none',
    { limits: { cpu: '1' } },
    {},
    [
      'spec: Invalid value: "": Pod QOS Class may not change as a result of resizing',
      'spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed',
      'spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed',
    ],
  ],
  ['less memory', { limits: { memory: '2Gi' } }, { limits: { memory: '1Gi' } }, []],
  ['a limit more', { limits: { memory: '2Gi' } }, { limits: { memory: '2Gi', cpu: '1' }, requests: { memory: '1Gi' } }, []],
  [
    'another resource',
    { limits: { cpu: '1' } },
    { limits: { cpu: '1', 'ephemeral-storage': '1' } },
    ['spec: Forbidden: only cpu and memory resources are mutable'],
  ],
  ['another resource where there was none', {}, { limits: { 'ephemeral-storage': '1' } }, []],
  [
    'more, with a claim',
    { limits: { cpu: '1' }, claims: [{ name: 'a' }] },
    { limits: { cpu: '2' }, claims: [{ name: 'a' }] },
    ['spec: Forbidden: only cpu and memory resources are mutable'],
  ],
];
for (const [name, before, now, expected] of sizes)
  test(`resize: ${name}`, () => {
    const old = podOf({ resources: before });
    old.status = { qosClass: qosClassOf(old.spec, context) };
    assert.equal(lines(resize.validateUpdate(podOf({ resources: now }), old, context)), expected);
  });

test('ephemeral containers are taken alone', () => {
  const stored = pod();
  ephemeralContainers.take(stored, { ...pod(), spec: { nodeName: 'n', ephemeralContainers: [ephemeral] } }, context);
  assert.equal(stored.spec.ephemeralContainers, [ephemeral]);
  assert.is(stored.spec.nodeName, undefined);
  ephemeralContainers.take(stored, { ...pod(), spec: {} }, context);
  assert.not.ok('ephemeralContainers' in stored.spec);
});

test('of a resize the resources are taken, and it is proposed', () => {
  const stored = podOf({ resources: { limits: { cpu: '1' } } });
  const sent = podOf({ resources: { limits: { cpu: '2' } }, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] });
  sent.spec.containers[0].image = 'other';
  resize.take(stored, sent, context);
  const [container] = stored.spec.containers;
  assert.equal(container.resources.limits, { cpu: '2' });
  assert.is(container.resizePolicy.length, 1);
  assert.is.not(container.image, 'other');
  assert.is(stored.status.resize, 'Proposed');
});

test('of a resize containers are taken by their names, and others stay as they are', () => {
  const of = (cpu: string): object => ({ requests: { cpu } });
  const stored = podOf({ name: 'a', resources: of('1') });
  stored.spec.initContainers = [{ name: 'i', restartPolicy: 'Always', resources: of('1') }];
  const sent = podOf({ name: 'a', resources: of('2') });
  sent.spec.containers.unshift({ name: 'b', resources: of('3') });
  sent.spec.initContainers = [{ name: 'i', restartPolicy: 'Always', resources: of('4') }];
  resize.take(stored, sent, context);
  assert.equal(
    [...stored.spec.initContainers, ...stored.spec.containers].map(({ name, resources }) => [name, resources]),
    [
      ['i', of('1')],
      ['a', of('2')],
    ],
  );
});

test('a binding is to a node', () =>
  assert.equal(lines(binding.validate?.({ target: { kind: 'Pod' } } as unknown as ApiObject, context) ?? []), [
    'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    'target.name: Required value',
  ]));

test.run();
