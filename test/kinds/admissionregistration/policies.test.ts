import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { lines, object, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('admission policies');
const { rules: mutating } = await loadKind('admissionregistration.k8s.io/v1alpha1', 'MutatingAdmissionPolicy');
const { rules: policy } = await loadKind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy');
const { rules: binding } = await loadKind('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding');

const { rules: mutatingBinding } = await loadKind('admissionregistration.k8s.io/v1alpha1', 'MutatingAdmissionPolicyBinding');

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const matchConstraints = { namespaceSelector: {}, objectSelector: {}, resourceRules: [rule], matchPolicy: 'Equivalent' };
const head = { failurePolicy: 'Fail', matchConstraints };
const apply = { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } };
const of = (spec: object) => object('admissionregistration.k8s.io/v1', 'X', { spec }, { name: 'p' });

/** what is wrong, members of the specification, errors below `spec.` */
const policies: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'nothing to do',
    { validations: undefined },
    [
      'validations: Required value: validations or auditAnnotations must contain at least one item',
      'auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  ['no constraints', { matchConstraints: undefined }, ['matchConstraints: Required value']],
  [
    'constraints without rules',
    { matchConstraints: { ...matchConstraints, resourceRules: undefined } },
    ['matchConstraints.resourceRules: Required value'],
  ],
  [
    'names twice',
    { matchConstraints: { ...matchConstraints, resourceRules: [{ ...rule, resourceNames: ['a', 'a', 'b/c'] }] } },
    [
      'matchConstraints.resourceRules[0].resourceNames[1]: Duplicate value: "a"',
      'matchConstraints.resourceRules[0].resourceNames[2]: Invalid value: "b/c": may not contain \'/\'',
    ],
  ],
  ['an empty kind of parameters', { paramKind: {} }, ['paramKind.apiVersion: Required value', 'paramKind.kind: Required value']],
  [
    'a long version of parameters',
    { paramKind: { apiVersion: 'a/b/c', kind: 'K' } },
    ['paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c'],
  ],
  [
    'variables',
    {
      variables: [
        { name: 'for', expression: '1' },
        { name: '', expression: '' },
        { name: ' \t', expression: '1' },
        { name: ' a', expression: '1' },
      ],
    },
    [
      'variables[0].name: Invalid value: "for": name is not a valid CEL identifier',
      'variables[1].name: Required value: name is not specified',
      'variables[1].expression: Required value: expression is not specified',
      'variables[2].name: Required value: name is not specified',
      'variables[3].name: Invalid value: " a": name is not a valid CEL identifier',
    ],
  ],
  [
    'a check',
    { validations: [{ expression: ' ', message: 'a\nb', messageExpression: ' ', reason: 'NotFound' }] },
    [
      'validations[0].expression: Required value: expression is not specified',
      'validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'validations[0].message: Invalid value: "a\\nb": message must not contain line breaks',
      'validations[0].reason: Unsupported value: "NotFound": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    ],
  ],
  ['a check of several lines without a message', { validations: [{ expression: 'true &&\ntrue' }] }, []],
  [
    'more annotations than there may be',
    { auditAnnotations: Array.from({ length: 21 }, (_, index) => ({ key: `k${index}`, valueExpression: '"v"' })) },
    [
      `auditAnnotations: Invalid value: []admissionregistration.AuditAnnotation{${Array.from(
        { length: 21 },
        (_, index) => `admissionregistration.AuditAnnotation{Key:"k${index}", ValueExpression:"\\"v\\""}`,
      ).join(', ')}}: must not have more than 20 auditAnnotations`,
    ],
  ],
  [
    'a long annotation',
    { auditAnnotations: [{ key: 'k', valueExpression: `'${'v'.repeat(5119)}'` }] },
    ['auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length'],
  ],
  [
    'annotations',
    {
      auditAnnotations: [
        { key: 'k', valueExpression: '' },
        { key: 'k', valueExpression: '"v"' },
      ],
    },
    [
      'auditAnnotations[0].valueExpression: Required value: valueExpression is not specified',
      'auditAnnotations[1].key: Duplicate value: "k"',
    ],
  ],
];
for (const [name, members, expected] of policies)
  test(`a validating policy: ${name}`, () => {
    const spec = { ...head, validations: [{ expression: 'true' }], ...members };
    assert.equal(
      lines(policy.validate?.(of(spec), ruleContext())),
      expected.map((line) => `spec.${line}`),
    );
  });

const statuses: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'warnings',
    {
      typeChecking: {
        expressionWarnings: [
          { fieldRef: ' ', warning: '' },
          { fieldRef: 'spec.validations[0].expression', warning: 'w' },
          { fieldRef: ' spec.x[ ', warning: 'w' },
          { fieldRef: '#', warning: 'w' },
        ],
      },
    },
    [
      'typeChecking.expressionWarnings[0].warning: Required value',
      'typeChecking.expressionWarnings[0].fieldRef: Required value',
      'typeChecking.expressionWarnings[2].fieldRef: Invalid value: "spec.x[": invalid JSONPath: unterminated array',
      'typeChecking.expressionWarnings[3].fieldRef: Invalid value: "#": invalid JSONPath: unrecognized character in action: U+0023 \'#\'',
    ],
  ],
  [
    'conditions',
    { conditions: [{ type: 'A', status: 'X', reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
    ['conditions[0].status: Unsupported value: "X": supported values: "False", "True", "Unknown"'],
  ],
];
for (const [name, status, expected] of statuses)
  test(`the status of a validating policy: ${name}`, () => {
    const given = { ...of({ validations: [] }), status };
    assert.equal(
      lines(policy.validateStatusUpdate?.(given, of({ validations: [] }), ruleContext())),
      expected.map((line) => `status.${line}`),
    );
  });

const mutations: [string, object, string[]][] = [
  ['nothing', {}, []],
  ['no mutations', { mutations: undefined }, ['mutations: Required value: mutations must contain at least one item']],
  ['no policy of repetition', { reinvocationPolicy: undefined }, ['reinvocationPolicy: Required value']],
  [
    'operations without a new object, and none',
    { matchConstraints: { ...matchConstraints, resourceRules: [rule, { ...rule, operations: ['DELETE', 'X'] }] } },
    [
      'matchConstraints.resourceRules[1].operations[1]: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'matchConstraints.resourceRules.operations: Unsupported value: "X": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
  [
    'a variable that does not compile',
    { variables: [{ name: 'in', expression: 'foo' }] },
    [
      'variables[0].name: Invalid value: "in": name is not a valid CEL identifier',
      `variables[0].expression: Invalid value: "foo": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^`,
    ],
  ],
  [
    'the other patch',
    { mutations: [{ patchType: 'JSONPatch', applyConfiguration: apply.applyConfiguration }] },
    [
      'mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
      'mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
    ],
  ],
  [
    'an unknown patch',
    { mutations: [{ patchType: 'X' }] },
    ['mutations[0].patchType: Unsupported value: "X": supported values: "ApplyConfiguration", "JSONPatch"'],
  ],
];
for (const [name, members, expected] of mutations)
  test(`a mutating policy: ${name}`, () => {
    const spec = { ...head, mutations: [apply], reinvocationPolicy: 'Never', ...members };
    assert.equal(
      lines(mutating.validate?.(of(spec), ruleContext())),
      expected.map((line) => `spec.${line}`),
    );
  });

const bindings: [string, object, string[]][] = [
  ['nothing', {}, []],
  ['no policy', { policyName: undefined }, ['policyName: Required value']],
  ['no actions', { validationActions: undefined }, ['validationActions: Required value: at least one validation action is required']],
  [
    'an action twice and an unknown one',
    { validationActions: ['Deny', 'Deny', 'X'] },
    [
      'validationActions[1]: Duplicate value: "Deny"',
      'validationActions[2]: Unsupported value: "X": supported values: "Audit", "Deny", "Warn"',
    ],
  ],
  [
    'a name and a selector',
    { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
    [
      'paramRef.name: Forbidden: name and selector are mutually exclusive',
      'paramRef.selector: Forbidden: name and selector are mutually exclusive',
    ],
  ],
  [
    'no parameters',
    { paramRef: {} },
    ['paramRef: Required value: one of name or selector must be specified', 'paramRef.parameterNotFoundAction: Required value'],
  ],
  [
    'requests without selectors',
    { matchResources: { matchPolicy: 'Exact' } },
    ['matchResources.namespaceSelector: Required value', 'matchResources.objectSelector: Required value'],
  ],
  [
    'parameters without a word on those that are not found',
    { paramRef: { name: 'a', parameterNotFoundAction: '' } },
    ['paramRef.parameterNotFoundAction: Required value'],
  ],
  [
    'parameters with an unknown word on those that are not found',
    { paramRef: { name: 'a', parameterNotFoundAction: 'X' } },
    ['paramRef.parameterNotFoundAction: Unsupported value: "X": supported values: "Deny", "Allow"'],
  ],
];
for (const [name, members, expected] of bindings)
  test(`a binding: ${name}`, () => {
    const spec = { policyName: 'p', validationActions: ['Deny'], ...members };
    assert.equal(
      lines(binding.validate?.(of(spec), ruleContext())),
      expected.map((line) => `spec.${line}`),
    );
  });

const mutatingBindings: [string, object, string[]][] = [
  ['nothing', {}, []],
  [
    'operations without a new object',
    {
      matchResources: { ...matchConstraints, matchPolicy: 'X', resourceRules: [{ ...rule, operations: ['DELETE'] }] },
      paramRef: { name: 'a', parameterNotFoundAction: '' },
    },
    [
      'paramRef.parameterNotFoundAction: Required value',
      'matchResources.matchPolicy: Unsupported value: "X": supported values: "Equivalent", "Exact"',
      'matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ],
  ],
];
for (const [name, members, expected] of mutatingBindings)
  test(`a mutating binding: ${name}`, () => {
    assert.equal(
      lines(mutatingBinding.validate?.(of({ policyName: 'p', ...members }), ruleContext())),
      expected.map((line) => `spec.${line}`),
    );
  });

const cells: [string, object, unknown][] = [
  ['no parameters', {}, '<unset>'],
  ['a name', { paramRef: { name: 'a' } }, '*/a'],
  ['a name in a namespace', { paramRef: { name: 'a', namespace: 'n' } }, 'n/a'],
  [
    'a selector',
    { paramRef: { selector: { matchLabels: { a: 'b' } } } },
    '&LabelSelector{MatchLabels:map[string]string{a: b,},MatchExpressions:[]LabelSelectorRequirement{},}',
  ],
];
for (const [name, members, expected] of cells)
  test(`the cell of ${name}`, async () => {
    const given = { ...of({ policyName: 'p', ...members }), kind: 'ValidatingAdmissionPolicyBinding' };
    assert.is((await rowOf(given, 0))[2], expected);
  });

const SELECTS = "authorizer.group('').resource('pods').labelSelector('a=b').check('list').allowed()";
const selecting = {
  validations: [{ expression: 'true', messageExpression: "'a'" }, { expression: SELECTS }],
  matchConditions: [{ name: 'a', expression: SELECTS }],
  variables: [{ name: 'a', expression: SELECTS }],
};
const refused = ['spec.matchConditions[0].expression', 'spec.variables[0].expression', 'spec.validations[1].expression'];
const fields = (errors: readonly { readonly field: string }[] | undefined): string[] => (errors ?? []).map(({ field }) => field).sort();

test('new expressions select what is authorized where the gate is on', () => {
  const given = of({ ...head, ...selecting });
  assert.equal(fields(policy.validate?.(given, ruleContext('AuthorizeWithSelectors'))), []);
  assert.equal(fields(policy.validate?.(given, ruleContext())), [...refused].sort());
});
test('expressions that stood there before stay, whatever gates are on', () => {
  const old = of({ ...head, ...selecting });
  assert.equal(fields(policy.validate?.(of({ ...head, ...selecting, failurePolicy: 'Ignore' }), ruleContext(), old)), []);
  const other = { ...selecting, validations: [{ expression: `!${SELECTS}` }] };
  assert.equal(fields(policy.validate?.(of({ ...head, ...other }), ruleContext(), old)), ['spec.validations[0].expression']);
});
test('mutating policies are held to the gate, too', () => {
  const given = of({ ...head, mutations: [apply], reinvocationPolicy: 'Never', matchConditions: selecting.matchConditions });
  assert.equal(fields(mutating.validate?.(given, ruleContext())), ['spec.matchConditions[0].expression']);
  assert.equal(fields(mutating.validate?.(given, ruleContext(), given)), []);
});

test('a status update changes no metadata', () => {
  const changed = object('v', 'X', {}, { labels: { a: 'b' }, annotations: { c: 'd' } });
  policy.prepareForStatusUpdate?.(changed, object('v', 'X', {}, { labels: { old: '1' } }), ruleContext());
  assert.equal([changed.metadata.labels, changed.metadata.annotations], [{ old: '1' }, undefined]);
});

test.run();
