/** Expressions of policies are checked against kinds, in the words of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ExpressionWarning, ValidatingAdmissionPolicySpec } from '../../../generated/admissionregistration/v1/types.ts';
import { boolean, struct as described, double, int32, list, map, quantity, string, time } from '../../../runtime/contract/descriptor.ts';
import { objectType } from '../../../runtime/controllers/policy-status/object-types.ts';
import { typeWarnings } from '../../../runtime/controllers/policy-status/type-checking.ts';
import { type CheckedKind, type KindsFor, typesToCheck } from '../../../runtime/controllers/policy-status/types-to-check.ts';
import { STRING, struct, type Type } from '../../../runtime/expressions/types/type.ts';
import { stored } from '../../../runtime/kinds/admissionregistration/expressions/admission-environments.ts';
import type { CustomSchema } from '../../../runtime/structural-schema/custom-schema.ts';
import { declaredType } from '../../../runtime/structural-schema/rules/declared-type.ts';
import { tableRows } from '../../harness/tables.ts';

const test = suite('types of policies');

const KINDS: readonly (CheckedKind & { readonly resource: string })[] = [
  { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment' },
  { group: '', version: 'v1', resource: 'pods', kind: 'Pod' },
  { group: '', version: 'v1', resource: 'events', kind: 'Event' },
  { group: 'events.k8s.io', version: 'v1', resource: 'events', kind: 'Event' },
  ...Array.from({ length: 12 }, (_, index) => ({ group: 'many', version: 'v1', resource: `r${index}`, kind: `Kind${index}` })),
];
const kindsFor: KindsFor = (group, version, resource) =>
  KINDS.filter((each) => (group === '' || each.group === group) && each.version === version && each.resource === resource).map(
    ({ resource: _resource, ...kind }) => kind,
  );
const rule = (apiGroups: string[], apiVersions: string[], resources: string[]) => ({
  apiGroups,
  apiVersions,
  resources,
  operations: ['*' as const],
});
const MANY = Array.from({ length: 12 }, (_, index) => `r${index}`);

const wanted: readonly [name: string, rules: ReturnType<typeof rule>[], expected: readonly string[]][] = [
  ['none', [], []],
  ['the core group, which stands for all', [rule([''], ['v1'], ['events'])], ['/v1 Event', 'events.k8s.io/v1 Event']],
  ['all resources', [rule(['apps'], ['v1'], ['*'])], []],
  ['all versions', [rule(['apps'], ['*'], ['deployments'])], []],
  ['all groups', [rule(['*'], ['v1'], ['deployments'])], []],
  ['subresources', [rule(['apps'], ['v1'], ['deployments/status'])], []],
  ['what is not served', [rule(['apps'], ['v1'], ['nothing'])], []],
  ['one beside a subresource', [rule(['apps'], ['v1'], ['deployments/scale', 'deployments'])], ['apps/v1 Deployment']],
];
for (const [name, resourceRules, expected] of wanted)
  test(`are those of ${name}`, () =>
    assert.equal(
      typesToCheck({ resourceRules }, kindsFor).map(({ group, version, kind }) => `${group}/${version} ${kind}`),
      expected,
    ));

test('are ten at most of a rule, and no rule behind it counts', () => {
  const found = typesToCheck({ resourceRules: [rule(['many'], ['v1'], MANY), rule(['apps'], ['v1'], ['deployments'])] }, kindsFor);
  assert.is(found.length, 10);
  assert.not.ok(found.some(({ group }) => group === 'apps'));
});

const POD = described('io.example.Pod', () => [
  { name: 'spec', type: SPEC },
  { name: 'created', type: time },
  { name: 'self', type: POD },
]);
const SPEC = described('io.example.Spec', () => [
  { name: 'replicas', type: int32 },
  { name: 'ready', type: boolean },
  { name: 'share', type: double },
  { name: 'names', type: list(string) },
  { name: 'labels', type: map(string) },
  { name: 'limits', type: map(quantity) },
  { name: 'if', type: string },
  { name: 'raw', type: { kind: 'scalar', scalar: 'rawExtension' } },
  { name: 'inline', type: described('io.example.Inline', () => [{ name: 'within', type: string }]), go: { inline: true } },
]);
const TYPED: Type = objectType(POD, 'Pod') as Type;

const expressions: readonly [expression: string, problem: string | undefined][] = [
  ['object.spec.replicas > 1 && object.spec.ready && object.spec.share < 0.5', undefined],
  ["object.spec.names.all(n, n.startsWith('a')) && object.spec.labels['a'] == 'b'", undefined],
  ["object.created > timestamp('2024-01-01T00:00:00Z')", undefined],
  ["object.spec.within == 'a' && object.spec.__if__ == 'b'", undefined],
  ['object.spec.replicas == "a"', "found no matching overload for '_==_' applied to '(int, string)'"],
  ['object.spec.none', "undefined field 'none'"],
  ["object.spec.limits['cpu'] == '1'", "undefined field 'limits'"],
  ['object.self.spec.replicas > 1', "undefined field 'spec'"],
  ['oldObject == null || oldObject.spec.replicas > 1', undefined],
  ['params.x == 1', "undeclared reference to 'params'"],
  // 1.32 does not know it where it checks types
  ["authorizer.requestResource.check('get').allowed()", "unexpected failed resolution of 'kubernetes.authorization.Authorizer'"],
  ["authorizer.path('/a').check('get').allowed()", undefined],
  ['object.spec.raw == 1', "found no matching overload for '_==_' applied to '(Pod.spec.raw, int)'"],
];
for (const [expression, problem] of expressions)
  test(`of ${expression}`, async () => {
    const kinds = [{ group: '', version: 'v1', kind: 'Pod', type: TYPED }];
    const [warning] = await typeWarnings({ validations: [{ expression }] }, { kinds }, stored({}));
    if (problem === undefined) assert.is(warning, undefined);
    else {
      assert.is(warning?.fieldRef, 'spec.validations[0].expression');
      assert.match(warning?.warning ?? '', `/v1, Kind=Pod: ERROR: <input>:1:`);
      assert.match(warning?.warning ?? '', problem);
    }
  });

test('are told of messages as well, for each kind, one behind the other', async () => {
  const kinds = ['A', 'B'].map((kind) => ({ group: 'g', version: 'v1', kind, type: struct(kind, { name: STRING }) }));
  const found = await typeWarnings({ validations: [{ expression: 'true', messageExpression: 'object.no' }] }, { kinds }, stored({}));
  const of = (kind: string): string => `g/v1, Kind=${kind}: ERROR: <input>:1:7: undefined field 'no'\n | object.no\n | ......^\n`;
  assert.equal(found, [{ fieldRef: 'spec.validations[0].messageExpression', warning: `${of('A')}\n${of('B')}` }]);
});

interface Row {
  readonly name: string;
  readonly test: string;
  readonly policySpec: ValidatingAdmissionPolicySpec;
  readonly types: readonly CheckedKind[];
  readonly schema?: CustomSchema | null;
  readonly warnings: readonly ExpressionWarning[];
}
const rows = tableRows<Row>('admission-cel.json');
for (const { name, policySpec, types } of rows.filter((row) => row.test === 'types-to-check'))
  test(`table: ${name}`, () => assert.equal(typesToCheck(policySpec.matchConstraints ?? {}, kindsFor), types));
for (const { name, policySpec, schema, warnings } of rows.filter((row) => row.test === 'typecheck'))
  test(`table: ${name}`, async () => {
    const type = schema ? declaredType(schema, true, 'Deployment')?.type : undefined;
    // kinds of which nothing is known are left out
    const kinds = typesToCheck(policySpec.matchConstraints ?? {}, kindsFor).flatMap((kind) =>
      type === undefined ? [] : [{ ...kind, type }],
    );
    const params = policySpec.paramKind && type;
    assert.equal(await typeWarnings(policySpec, { kinds, params }, stored({})), warnings);
  });

test.run();
