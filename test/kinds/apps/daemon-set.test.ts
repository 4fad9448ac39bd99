import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';
import { container, template, workload } from './workload.ts';

const test = suite('daemon sets');
const kind = await loadKind('apps/v1', 'DaemonSet');
const { rules } = kind;
const context = ruleContext();
const generation = (count: string): object => ({ 'deprecated.daemonset.template.generation': count });

const strategies: [string, object | undefined, object][] = [
  ['none', undefined, { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
  [
    'a surge',
    { rollingUpdate: { maxSurge: '20%', maxUnavailable: 0 } },
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '20%' } },
  ],
  ['on delete', { type: 'OnDelete' }, { type: 'OnDelete' }],
  [
    'on delete with numbers',
    { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } },
    { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  ],
];
for (const [name, given, expected] of strategies)
  test(`defaults of the strategy: ${name}`, () => assert.equal(workload(kind, { updateStrategy: given }).spec.updateStrategy, expected));

const texts: [string, object | undefined, object][] = [
  ['is there where nobody sent it', undefined, generation('0')],
  ['is written as a number is', { ...generation('+05'), note: 'n' }, { ...generation('5'), note: 'n' }],
  ['keeps all its digits', generation('9007199254740993'), generation('9007199254740993')],
  ['stays where it is no number', generation('many'), generation('many')],
];
for (const [name, given, expected] of texts)
  test(`the count of templates ${name}`, () => assert.equal(workload(kind, {}, {}, { annotations: given }).metadata.annotations, expected));

const creations: [string, object, object][] = [
  ['begins with 1', {}, generation('1')],
  ['may begin higher', generation('5'), generation('5')],
  ['begins with any digits', generation('9007199254740993'), generation('9007199254740993')],
  ['does not begin lower', generation('-3'), generation('1')],
];
for (const [name, given, expected] of creations)
  test(`the count of templates ${name}`, () => {
    const created = workload(kind, {}, {}, { annotations: given });
    rules.prepareForCreate?.(created, context);
    assert.equal(created.metadata.annotations, expected);
  });

const PARSING = 'strconv.ParseInt: parsing';
const counts: [string, string | undefined][] = [
  ['5', undefined],
  ['+005', undefined],
  ['-3', undefined],
  ['', `${PARSING} "": invalid syntax`],
  ['1e3', `${PARSING} "1e3": invalid syntax`],
  ['9223372036854775808', `${PARSING} "9223372036854775808": value out of range`],
];
for (const [count, expected] of counts)
  test(`a count of templates of ${JSON.stringify(count)} can be kept, or not`, () =>
    assert.is(rules.conversionProblem?.(workload(kind, {}, {}, { annotations: generation(count) })), expected));

const updates: [string, object, object][] = [
  ['stays with the template', { minReadySeconds: 3 }, { ...generation('4'), note: 'n' }],
  [
    'grows with the template',
    { template: { ...template, spec: { containers: [{ ...container, image: 'b' }] } } },
    { ...generation('5'), note: 'n' },
  ],
];
for (const [name, spec, expected] of updates)
  test(`the count of templates ${name}, whatever the client says`, () => {
    const updated = workload(kind, spec, {}, { annotations: { ...generation('9'), note: 'n' } });
    rules.prepareForUpdate?.(updated, workload(kind, {}, {}, { annotations: generation('4') }), context);
    assert.equal(updated.metadata.annotations, expected);
  });

test('the count of templates begins anew behind the greatest, as in 1.32', () => {
  const updated = workload(kind, { template: { ...template, spec: { containers: [{ ...container, image: 'b' }] } } });
  rules.prepareForUpdate?.(updated, workload(kind, {}, {}, { annotations: generation('9223372036854775807') }), context);
  assert.equal(updated.metadata.annotations, generation('-9223372036854775808'));
});

test('the status leaves the count of templates', () => {
  const written = workload(kind, {}, {}, { annotations: { by: 'status' } });
  rules.prepareForStatusUpdate?.(written, workload(kind, {}, {}, { annotations: generation('4') }), context);
  assert.equal(written.metadata.annotations, { by: 'status', ...generation('4') });
});

const path = 'spec.updateStrategy';
const rows: [string, object, string[]][] = [
  ['a good one', {}, []],
  [
    'no selector',
    { selector: undefined },
    ['spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`'],
  ],
  ['an empty selector', { selector: {} }, ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset']],
  [
    'a selector that cannot be used',
    { selector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator'],
  ],
  [
    'a deadline',
    { template: { ...template, spec: { containers: [container], activeDeadlineSeconds: 5 } } },
    ['spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in DaemonSet is not Supported'],
  ],
  [
    'an unknown strategy',
    { updateStrategy: { type: 'X' } },
    [`${path}: Unsupported value: {"type":"X"}: supported values: "RollingUpdate", "OnDelete"`],
  ],
  [
    'both numbers',
    { updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } },
    [
      `${path}.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when maxUnavailable is non-zero`,
    ],
  ],
  [
    'neither number',
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } },
    [`${path}.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0`],
  ],
  [
    'more than all',
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: '101%' } } },
    [`${path}.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%`],
  ],
];
for (const [name, spec, expected] of rows)
  test(`validates ${name}`, () => assert.equal(lines(rules.validate?.(workload(kind, spec), context)), expected));

test('the status has no negative counts', () => {
  const given = workload(kind, {}, { numberReady: -1, collisionCount: 1 });
  assert.equal(lines(rules.validateStatusUpdate?.(given, workload(kind, {}, { collisionCount: 2 }), context)), [
    'status.numberReady: Invalid value: -1: must be greater than or equal to 0',
    'status.collisionCount: Invalid value: 1: cannot be decremented',
  ]);
});

test('doubtful templates are warned of, when they are new', () => {
  const doubtful = { template: { ...template, spec: { containers: [container], nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } } };
  const created = workload(kind, doubtful, {}, { generation: 1 });
  const text = 'deprecated since v1.14; use "kubernetes.io/os" instead';
  assert.equal(rules.warnings?.(created, undefined, context), [`spec.template.spec.nodeSelector[beta.kubernetes.io/os]: ${text}`]);
  assert.equal(rules.warnings?.(created, created, context), []);
  assert.equal(rules.warnings?.(workload(kind, doubtful, {}, { generation: 2 }), created, context).length, 1);
});

test('cells', async () => {
  const status = { desiredNumberScheduled: 4, currentNumberScheduled: 3, numberReady: 2, updatedNumberScheduled: 2, numberAvailable: 1 };
  const given = workload(
    kind,
    { template: { ...template, spec: { containers: [container], nodeSelector: { zone: 'a', disk: 'ssd' } } } },
    status,
  );
  assert.equal(await rowOf(given, Date.parse('2026-01-01T00:00:05Z')), [
    'x',
    4,
    3,
    2,
    2,
    1,
    'disk=ssd,zone=a',
    '5s',
    'c',
    'nginx:1.27',
    'app=a',
  ]);
});

test.run();
