import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('roles and bindings');
const group = 'rbac.authorization.k8s.io';
const { rules: roleRules } = await loadKind(`${group}/v1`, 'Role');
const { rules: clusterRoleRules } = await loadKind(`${group}/v1`, 'ClusterRole');
const { rules: bindings } = await loadKind(`${group}/v1`, 'RoleBinding');
const { rules: clusterBindings } = await loadKind(`${group}/v1`, 'ClusterRoleBinding');

const role = (...rules: object[]): ApiObject => object(`${group}/v1`, 'Role', { rules: rules.length === 0 ? null : rules });
const pods = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };

const roles: [string, object[], string[]][] = [
  ['no rules', [], []],
  ['a good rule', [pods], []],
  ['no verbs', [{ ...pods, verbs: null }], ['rules[0].verbs: Required value: verbs must contain at least one value']],
  [
    'no resources',
    [pods, { ...pods, resources: [] }],
    ['rules[1].resources: Required value: resource rules must supply at least one resource'],
  ],
  [
    'no groups',
    [{ ...pods, apiGroups: undefined }],
    ['rules[0].apiGroups: Required value: resource rules must supply at least one api group'],
  ],
  [
    'a path in a namespace',
    [{ nonResourceURLs: ['/x'], verbs: ['get'] }],
    ['rules[0].nonResourceURLs: Invalid value: []string{"/x"}: namespaced rules cannot apply to non-resource URLs'],
  ],
];
for (const [name, rules, expected] of roles) {
  test(`role: ${name}`, () => assert.equal(lines(roleRules.validate?.(role(...rules), ruleContext())), expected));
}

const clusterRoles: [string, object, string[]][] = [
  ['a path', { rules: [{ nonResourceURLs: ['/a/*/b'], verbs: ['get'] }] }, []],
  [
    'a path and resources',
    { rules: [{ ...pods, nonResourceURLs: ['/x'] }] },
    ['rules[0].nonResourceURLs: Invalid value: []string{"/x"}: rules cannot apply to both regular resources and non-resource URLs'],
  ],
  [
    'an empty aggregation',
    { rules: null, aggregationRule: {} },
    ['aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil'],
  ],
  [
    'a selector that cannot be used',
    { rules: null, aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] } },
    [
      "aggregationRule.clusterRoleSelectors[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      'aggregationRule.clusterRoleSelectors[0]: Invalid value: "null": invalid label selector.',
    ],
  ],
];
for (const [name, members, expected] of clusterRoles) {
  const given = object(`${group}/v1`, 'ClusterRole', members);
  test(`cluster role: ${name}`, () => assert.equal(lines(clusterRoleRules.validate?.(given, ruleContext())), expected));
}

const view = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
const binding = (members: object): ApiObject => object(`${group}/v1`, 'RoleBinding', { roleRef: view, ...members });
const subject = (members: object): object => ({ subjects: [{ kind: 'User', name: 'a', apiGroup: group, ...members }] });

test('users and groups get their API group, in its place', async () => {
  const subjects = [
    { kind: 'User', name: 'u', namespace: 'x' },
    { kind: 'Group', name: 'g', apiGroup: 'other' },
    { kind: 'ServiceAccount', name: 's' },
  ];
  const given = (await loadKind(`${group}/v1`, 'RoleBinding')).decode(binding({ subjects })).object;
  assert.is(
    JSON.stringify(given.subjects),
    `[{"kind":"User","apiGroup":"${group}","name":"u","namespace":"x"},{"kind":"Group","apiGroup":"other","name":"g"},{"kind":"ServiceAccount","name":"s"}]`,
  );
});

const subdomainRule = /^subjects\[0\]\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist/;
const bindingRows: [string, object, (string | RegExp)[]][] = [
  ['a good one', subject({}), []],
  ['no subjects', {}, []],
  ['another group', { roleRef: { ...view, apiGroup: 'x' } }, [`roleRef.apiGroup: Unsupported value: "x": supported values: "${group}"`]],
  ['another kind', { roleRef: { ...view, kind: 'X' } }, ['roleRef.kind: Unsupported value: "X": supported values: "Role", "ClusterRole"']],
  ['no name', { roleRef: { ...view, name: '' } }, ['roleRef.name: Required value']],
  ['a name with a slash', { roleRef: { ...view, name: 'a/b' } }, [`roleRef.name: Invalid value: "a/b": may not contain '/'`]],
  [
    'a subject of unknown kind',
    subject({ kind: 'X' }),
    ['subjects[0].kind: Unsupported value: "X": supported values: "ServiceAccount", "User", "Group"'],
  ],
  ['a subject without name', subject({ name: '' }), ['subjects[0].name: Required value']],
  ['a user of another group', subject({ apiGroup: 'x' }), [`subjects[0].apiGroup: Unsupported value: "x": supported values: "${group}"`]],
  [
    'an account with a group',
    subject({ kind: 'ServiceAccount' }),
    [`subjects[0].apiGroup: Unsupported value: "${group}": supported values: ""`],
  ],
  ['an account without namespace', subject({ kind: 'ServiceAccount', apiGroup: undefined }), []],
  ['an account with a bad name', subject({ kind: 'ServiceAccount', apiGroup: undefined, name: 'A_b' }), [subdomainRule]],
];
for (const [name, members, expected] of bindingRows) {
  test(`role binding: ${name}`, () => {
    const found = lines(bindings.validate?.(binding(members), ruleContext()));
    assert.is(found.length, expected.length, found.join('\n'));
    for (const [index, line] of expected.entries())
      if (typeof line === 'string') assert.is(found[index], line);
      else assert.match(found[index] as string, line);
  });
}

test('a cluster binding refers to cluster roles, and to accounts with their namespace', () => {
  const given = binding({ roleRef: { ...view, kind: 'Role' }, ...subject({ kind: 'ServiceAccount', apiGroup: '' }) });
  assert.equal(lines(clusterBindings.validate?.(given, ruleContext())), [
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    'subjects[0].namespace: Required value',
  ]);
});

test('the role of a binding stays; each finding of an update is reported twice', () => {
  const given = binding({ roleRef: { ...view, kind: '', name: '' } });
  const both = [
    ...(bindings.validate?.(given, ruleContext()) ?? []),
    ...(bindings.validateUpdate?.(given, binding({}), ruleContext()) ?? []),
  ];
  assert.equal(
    both.map((error) => [error.reason, error.field]),
    [
      ['FieldValueNotSupported', 'roleRef.kind'],
      ['FieldValueRequired', 'roleRef.name'],
      ['FieldValueNotSupported', 'roleRef.kind'],
      ['FieldValueRequired', 'roleRef.name'],
      ['FieldValueInvalid', 'roleRef'],
    ],
  );
});

test('cells', async () => {
  const given = binding({
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'User', name: 'v' },
      { kind: 'Group', name: 'g' },
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
    ],
  });
  assert.equal(await rowOf(given, Date.parse('2026-01-01T00:00:05Z')), ['x', 'ClusterRole/view', '5s', 'u, v', 'g', 'n/s']);
});

test.run();
