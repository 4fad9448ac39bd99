import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';
import { container, selector, template, workload } from './workload.ts';

const test = suite('deployments');
const kind = await loadKind('apps/v1', 'Deployment');
const { rules } = kind;
const context = ruleContext();
const now = Date.parse('2026-01-01T00:00:05Z');

test('defaults stand in their places', () => {
  const { spec, status } = workload(kind);
  assert.equal(Object.keys(spec), ['replicas', 'selector', 'template', 'strategy', 'revisionHistoryLimit', 'progressDeadlineSeconds']);
  const { selector: _selector, template: _template, ...rest } = spec;
  assert.equal(rest, {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  assert.is(spec.template.spec.containers[0].imagePullPolicy, 'IfNotPresent');
  assert.equal(status, {});
});

const strategies: [string, object, object][] = [
  [
    'one of two numbers',
    { rollingUpdate: { maxSurge: 2 } },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: 2 } },
  ],
  ['recreate', { type: 'Recreate' }, { type: 'Recreate' }],
];
for (const [name, given, expected] of strategies)
  test(`defaults of the strategy: ${name}`, () => assert.equal(workload(kind, { strategy: given }).spec.strategy, expected));

test('defaults do nothing the second time', () => {
  const once = workload(kind);
  assert.equal(kind.decode(once).object, once);
});

const REVISION = 'deprecated.deployment.rollback.to';
const revisions: [string, object | undefined, string[]][] = [
  ['+005', { [REVISION]: '5', note: 'n' }, []],
  ['', { note: 'n' }, []],
  ['-3', { [REVISION]: '-3', note: 'n' }, ['spec.rollback.version: Invalid value: -3: must be greater than or equal to 0']],
];
for (const [revision, expected, problems] of revisions)
  test(`goes back to ${JSON.stringify(revision)}`, () => {
    const given = workload(kind, {}, {}, { annotations: { [REVISION]: revision, note: 'n' } });
    assert.is(rules.conversionProblem?.(given), undefined);
    rules.prepareForCreate?.(given, context);
    assert.equal(given.metadata.annotations, expected);
    assert.equal(lines(rules.validate?.(given, context)), problems);
  });

test('goes back to what can be read alone', () => {
  assert.is(
    rules.conversionProblem?.(workload(kind, {}, {}, { annotations: { [REVISION]: 'abc' } })),
    `failed to parse annotation[${REVISION}]=abc as int64: strconv.ParseInt: parsing "abc": invalid syntax`,
  );
});

test('the status takes no revision to go back to', () => {
  const annotated = (annotations?: object) => workload(kind, {}, {}, { annotations });
  const sent = annotated({ [REVISION]: '7', by: 'status' });
  rules.prepareForStatusUpdate?.(sent, annotated({ [REVISION]: '5' }), context);
  assert.equal(sent.metadata.annotations, { by: 'status', [REVISION]: '5' });
  const alone = annotated({ [REVISION]: '7' });
  rules.prepareForStatusUpdate?.(alone, annotated(), context);
  assert.not.ok('annotations' in alone.metadata);
});

const rows: [string, object, string[]][] = [
  ['a good one', {}, []],
  [
    'no selector',
    { selector: undefined },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
    ],
  ],
  ['an empty selector', { selector: {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for deployment']],
  [
    'a selector of others',
    { selector: { matchLabels: { app: 'b' } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
  ],
  [
    'a selector that cannot be used',
    { selector: { matchExpressions: [{ key: 'b', operator: 'In' }] } },
    [
      "spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'spec.selector: Invalid value: {"matchExpressions":[{"key":"b","operator":"In"}]}: invalid label selector',
    ],
  ],
  [
    'no template',
    { template: undefined },
    [
      'spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ],
  ],
  [
    'pods that end',
    { template: { ...template, spec: { containers: [container], restartPolicy: 'Never', activeDeadlineSeconds: 5 } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicaSet is not Supported',
    ],
  ],
  [
    'negative counts',
    { replicas: -1, minReadySeconds: -2, revisionHistoryLimit: -3 },
    [
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
      'spec.revisionHistoryLimit: Invalid value: -3: must be greater than or equal to 0',
    ],
  ],
  [
    'an unknown strategy',
    { strategy: { type: 'Blue' } },
    ['spec.strategy: Unsupported value: {"type":"Blue"}: ' + 'supported values: "Recreate", "RollingUpdate"'],
  ],
  [
    'recreating with numbers',
    { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    'an update that cannot move',
    { strategy: { rollingUpdate: { maxSurge: '0%', maxUnavailable: 0 } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:0, IntVal:0, StrVal:""}: may not be 0 when `maxSurge` is 0',
    ],
  ],
  [
    'more than all',
    { strategy: { rollingUpdate: { maxSurge: '200%', maxUnavailable: '110%' } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"110%"}: must not be greater than 100%',
    ],
  ],
  [
    'a text that is no percentage',
    { strategy: { rollingUpdate: { maxSurge: '10' } } },
    [
      "spec.strategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:\"10\"}: a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  [
    'a deadline before pods can be ready',
    { progressDeadlineSeconds: 5, minReadySeconds: 10 },
    ['spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds'],
  ],
];
for (const [name, spec, expected] of rows)
  test(`validates ${name}`, () => assert.equal(lines(rules.validate?.(workload(kind, spec), context)), expected));

test('the selector stays', () => {
  const changed = workload(kind, { selector: { matchLabels: { app: 'b' } } });
  assert.equal(lines(rules.validateUpdate?.(changed, workload(kind), context)), [
    'spec.selector: Invalid value: {"matchLabels":{"app":"b"}}: field is immutable',
  ]);
  assert.equal(lines(rules.validateUpdate?.(workload(kind, { replicas: 2 }), workload(kind), context)), []);
});

test('counts of the status fit together', () => {
  const status = { replicas: 2, updatedReplicas: 3, readyReplicas: 1, availableReplicas: 2, unavailableReplicas: -1 };
  assert.equal(lines(rules.validateStatusUpdate?.(workload(kind, {}, status), workload(kind, {}, { collisionCount: 1 }), context)), [
    'status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0',
    'status.updatedReplicas: Invalid value: 3: cannot be greater than status.replicas',
    'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
    'status.collisionCount: Invalid value: 0: cannot be decremented',
  ]);
});

test('the status takes annotations with it, not labels', () => {
  const written = workload(kind, {}, {}, { labels: { from: 'status' }, annotations: { by: 'status' } });
  rules.prepareForStatusUpdate?.(written, workload(kind, {}, {}, { labels: { l: '1' } }), context);
  assert.equal([written.metadata.labels, written.metadata.annotations], [{ l: '1' }, { by: 'status' }]);
  rules.prepareForStatusUpdate?.(written, workload(kind), context);
  assert.not.ok('labels' in written.metadata);
});

test('a name with dots is warned of once', () => {
  const dotted = workload(kind, {}, {}, { name: 'a.b' });
  assert.equal(rules.warnings?.(dotted, undefined, context), [
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]',
  ]);
  assert.equal(rules.warnings?.(dotted, dotted, context), []);
});

test('cells', async () => {
  const given = workload(
    kind,
    {
      replicas: 3,
      selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['b', 'a'] }] },
      template: { ...template, spec: { containers: [container, { name: 'd', image: 'e:2' }] } },
    },
    { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
  );
  assert.equal(await rowOf(given, now), ['x', '1/3', 2, 1, '5s', 'c,d', 'nginx:1.27,e:2', 'app in (a,b)']);
  assert.equal(await rowOf(workload(kind, { selector, replicas: 0 }), now), ['x', '0/0', 0, 0, '5s', 'c', 'nginx:1.27', 'app=a']);
});

test.run();
