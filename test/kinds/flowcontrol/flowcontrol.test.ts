import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { mandatoryLevels, mandatorySchemas } from '../../../runtime/kinds/flowcontrol/mandatory-specs.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('flow schemas and priority levels');
const group = 'flowcontrol.apiserver.k8s.io';
const context = ruleContext();
const { rules: schemaRules } = await loadKind(`${group}/v1`, 'FlowSchema');
const { rules: levelRules } = await loadKind(`${group}/v1`, 'PriorityLevelConfiguration');

const schema = (spec: object, name = 'x'): ApiObject =>
  object(
    `${group}/v1`,
    'FlowSchema',
    { spec: { priorityLevelConfiguration: { name: 'l' }, matchingPrecedence: 1000, ...spec }, status: {} },
    { name },
  );
const user = { kind: 'User', user: { name: 'u' } };
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['*'] };
const url = (...nonResourceURLs: string[]): object => ({
  rules: [{ subjects: [user], nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] }],
});
const subject = (value: object): object => ({ rules: [{ subjects: [value], resourceRules: [pods] }] });
const rule = (members: object): object => ({ rules: [{ subjects: [user], resourceRules: [{ ...pods, ...members }] }] });

const schemas: [string, ApiObject, string[]][] = [
  ['a good one', schema(rule({})), []],
  ['no precedence', schema({ matchingPrecedence: -1 }), ['spec.matchingPrecedence: Invalid value: -1: must be a positive value']],
  [
    'a precedence that is kept',
    schema({ matchingPrecedence: 1 }),
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    'a level that cannot be',
    schema({ priorityLevelConfiguration: { name: '' } }),
    ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level'],
  ],
  [
    'a subject of another kind',
    schema(subject({ kind: 'Robot' })),
    ['spec.rules[0].subjects[0].kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"'],
  ],
  [
    'a subject with two members',
    schema(subject({ ...user, group: { name: 'g' } })),
    ["spec.rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'"],
  ],
  [
    'a service account without namespace',
    schema(subject({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: '' } })),
    ['spec.rules[0].subjects[0].serviceAccount.namespace: Required value: must specify namespace for service account'],
  ],
  [
    'all groups and one',
    schema(rule({ apiGroups: ['*', 'apps'] })),
    [
      'spec.rules[0].resourceRules[0].apiGroups: Invalid value: []string{"*", "apps"}: if \'*\' is present, must not specify other api groups',
    ],
  ],
  [
    'no namespaces',
    schema(rule({ namespaces: null })),
    [
      'spec.rules[0].resourceRules[0].namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace',
    ],
  ],
  [
    'a verb that nobody knows',
    schema(rule({ verbs: ['get', 'x'] })),
    [
      'spec.rules[0].resourceRules[0].verbs: Unsupported value: []string{"get", "x"}: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
    ],
  ],
  [
    'a method that nobody knows',
    schema({ distinguisherMethod: { type: 'x' } }),
    [
      'spec.distinguisherMethod.type: Unsupported value: flowcontrol.FlowDistinguisherMethod{Type:"x"}: supported values: "ByNamespace", "ByUser"',
    ],
  ],
  ['no namespaces for what has none', schema(rule({ namespaces: null, clusterScope: true })), []],
  ...(
    [
      ['/healthz', undefined],
      ['/', undefined],
      ['/api/*', undefined],
      ['', 'must not be empty'],
      ['x', 'must start with slash'],
      ['/a b', 'must not contain white-space'],
      ['/a//b', 'must not contain double slash'],
      ['/a*', 'wildcard can only do suffix matching'],
    ] as const
  ).map(([path, detail]): [string, ApiObject, string[]] => [
    `the path ${path}`,
    schema(url(path)),
    detail === undefined ? [] : [`spec.rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: ${JSON.stringify(path)}: ${detail}`],
  ]),
  ['the mandatory one', schema({ ...mandatorySchemas['catch-all'] }, 'catch-all'), []],
];
for (const [name, value, expected] of schemas)
  test(`schema: ${name}`, () => assert.equal(lines(schemaRules.validate?.(value, context)), expected));

test('a mandatory schema stays as it is', () => {
  const changed = schema({ ...mandatorySchemas.exempt, matchingPrecedence: 2 }, 'exempt');
  const [line = ''] = lines(schemaRules.validate?.(changed, context));
  assert.match(line, /^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/);
});

const level = (spec: object, name = 'x'): ApiObject => object(`${group}/v1`, 'PriorityLevelConfiguration', { spec, status: {} }, { name });
const limited = (members: object): ApiObject =>
  level({ type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' }, ...members } });
const queuing = (queues: number, handSize: number, queueLengthLimit = 1): ApiObject =>
  limited({ limitResponse: { type: 'Queue', queuing: { queues, handSize, queueLengthLimit } } });
const hand = 'spec.limited.limitResponse.queuing.handSize';

const levels: [string, ApiObject, string[]][] = [
  ['no shares at all', limited({ nominalConcurrencyShares: 0 }), []],
  [
    'a share to borrow below zero',
    limited({ borrowingLimitPercent: -1 }),
    ['spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer'],
  ],
  [
    'limited and exempt',
    level({ type: 'Limited', limited: { limitResponse: { type: 'Reject' } }, exempt: {} }),
    ['spec.exempt: Forbidden: must be nil if the type is Limited'],
  ],
  ['a hand', queuing(64, 8), []],
  ['no hand', queuing(64, 0), [`${hand}: Invalid value: 0: must be positive`]],
  ['a large hand', queuing(4, 5), [`${hand}: Invalid value: 5: should not be greater than queues (4)`]],
  [
    'a hand of more bits than the hash has',
    queuing(128, 9),
    [`${hand}: Invalid value: 9: required entropy bits of deckSize 128 and handSize 9 should not be greater than 60`],
  ],
  [
    'the level of those without limit',
    level({ type: 'Exempt', exempt: { nominalConcurrencyShares: 7, lendablePercent: 10 } }, 'exempt'),
    [],
  ],
  ['the mandatory one', level({ ...mandatoryLevels['catch-all'] }, 'catch-all'), []],
];
for (const [name, value, expected] of levels)
  test(`level: ${name}`, () => assert.equal(lines(levelRules.validate?.(value, context)), expected));

test('the exempt level changes its share only', () => {
  const changed = level({ type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } }, 'exempt');
  const errors = lines(levelRules.validate?.(changed, context));
  assert.equal(errors[0], 'spec.limited: Forbidden: must be nil if the type is not Limited');
  assert.match(errors[1] ?? '', /spec of 'exempt' except the 'spec.exempt' field must equal the fixed value$/);
});

test('a condition has a type of its own', () => {
  const value = { ...level({}), status: { conditions: [{ type: 'A' }, { type: 'A' }, {}] } };
  assert.equal(lines(levelRules.validateStatusUpdate?.(value, level({}), context)), [
    'status.conditions[1].type: Duplicate value: "A"',
    'status.conditions[2].type: Required value: must not be empty',
  ]);
});

test('the status update keeps the metadata', () => {
  const old = level({});
  const sent = { ...level({}), metadata: { ...old.metadata, labels: { a: 'b' } } };
  levelRules.prepareForStatusUpdate?.(sent, old, context);
  assert.equal(sent.metadata, old.metadata);
});

test('cells', async () => {
  const now = Date.parse('2026-01-01T00:00:05Z');
  assert.equal(await rowOf(queuing(8, 2, 50), now), ['x', 'Limited', 1, 8, 2, 50, '5s']);
  assert.equal(await rowOf(level({ type: 'Exempt' }), now), ['x', 'Exempt', '<none>', '<none>', '<none>', '<none>', '5s']);
  assert.equal(await rowOf(schema({}), now), ['x', 'l', 1000, '<none>', '5s', '?']);
});

const older: [string, object, object | undefined, number][] = [
  ['v1beta1', { assuredConcurrencyShares: 5 }, undefined, 5],
  ['v1beta1', {}, undefined, 30],
  ['v1beta2', { assuredConcurrencyShares: 0 }, undefined, 30],
  ['v1beta3', { nominalConcurrencyShares: 5 }, undefined, 5],
  ['v1beta3', {}, undefined, 30],
  ['v1beta3', {}, { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }, 0],
];
for (const [version, members, annotations, shares] of older) {
  test(`${version}: ${JSON.stringify(members)} is ${shares} shares`, async () => {
    const kind = await loadKind(`${group}/${version}`, 'PriorityLevelConfiguration');
    const spec = { type: 'Limited', limited: { ...members, limitResponse: { type: 'Reject' } } };
    const { object: decoded } = kind.decode({ metadata: { name: 'x', ...(annotations && { annotations }) }, spec });
    const hub = kind.toHub(structuredClone(decoded));
    assert.is(hub.spec.limited.nominalConcurrencyShares, shares);
    assert.is(hub.metadata.annotations, undefined);
    assert.equal(kind.fromHub(hub), decoded);
  });
}

test('a schema is the same in every version', async () => {
  for (const version of ['v1beta1', 'v1beta2', 'v1beta3']) {
    const kind = await loadKind(`${group}/${version}`, 'FlowSchema');
    const { object: decoded } = kind.decode({ metadata: { name: 'x' }, spec: { priorityLevelConfiguration: { name: 'l' } } });
    assert.is(decoded.spec.matchingPrecedence, 1000);
    assert.equal(kind.fromHub(kind.toHub(structuredClone(decoded))), decoded);
  }
});

test('rows stand in the order in which requests meet the schemas', () => {
  const of = (name: string, matchingPrecedence: number) => schema({ matchingPrecedence }, name);
  const given = [of('b', 9000), of('a', 10_000), of('d', 1), of('c', 9000)];
  const sorted = given.sort((a, b) => schemaRules.compareRows?.(a, b) ?? 0).map(({ metadata }) => metadata.name);
  assert.equal(sorted, ['d', 'b', 'c', 'a']);
});

test.run();
