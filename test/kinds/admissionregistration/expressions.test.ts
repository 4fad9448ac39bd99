/** Expressions of policies, of conditions of webhooks and of device selectors compile, or are refused in the words of 1.32. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../../runtime/expressions/compile.ts';
import type { ExpressionOutcome } from '../../../runtime/expressions/expression-problems.ts';
import { SyntaxErrors } from '../../../runtime/expressions/syntax/finding.ts';
import { admissionEnvironment, NEW } from '../../../runtime/kinds/admissionregistration/expressions/admission-environments.ts';
import { PolicyExpressions } from '../../../runtime/kinds/admissionregistration/expressions/policy-expressions.ts';
import { deviceCondition } from '../../../runtime/kinds/resource/device-expressions.ts';
import { tableRows } from '../../harness/tables.ts';

const test = suite('expressions of policies');
const detail = ({ problem }: ExpressionOutcome): string | undefined => problem?.detail;
const policy = (variables: readonly { name: string; expression: string }[] = [], paramKind?: object) =>
  new PolicyExpressions({ variables, paramKind });
const N = { name: 'n', expression: 'object.metadata.name' };

const rows: readonly [name: string, found: () => string | undefined, expected: RegExp | undefined][] = [
  ['a condition', () => detail(policy().validation("object.spec.replicas > 1 && request.operation == 'CREATE'")), undefined],
  ['another type', () => detail(policy().validation('1 + 1')), /^must evaluate to bool but got int$/],
  ['an unknown type', () => detail(policy().validation('object.spec.paused')), /^must evaluate to bool but got dyn$/],
  ['an unknown name', () => detail(policy().validation('TRUE')), /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'TRUE'/],
  ['parameters where there are none', () => detail(policy().validation('params.x == 1')), /undeclared reference to 'params'/],
  ['parameters', () => detail(policy([], { kind: 'A' }).validation('params.x == 1')), undefined],
  ['variables where there are none', () => detail(policy().validation("variables.n == ''")), /undeclared reference to 'variables'/],
  ['a variable', () => detail(policy([N]).validation("variables.n != 'x'")), undefined],
  ['a variable of a type', () => detail(policy([{ name: 'n', expression: '0' }]).validation("variables.n != 'x'")), /no matching overload/],
  ['no such variable', () => detail(policy([N]).validation('variables.m')), /undefined field 'm'/],
  [
    'a variable before it is there',
    () => detail(policy([{ name: 'a', expression: 'variables.n' }, N]).validation("variables.n != ''")),
    undefined,
  ],
  [
    'a list of a library type',
    () => detail(policy([{ name: 'q', expression: "[quantity('1')]" }]).validation('variables.q[0].any')),
    /must evaluate to bool but got dyn/,
  ],
  ['an authorizer', () => detail(policy().validation("authorizer.group('').resource('pods').check('get').allowed()")), undefined],
  ['a resource of the request', () => detail(policy().validation("authorizer.requestResource.check('get').allowed()")), undefined],
  [
    'no authorizer in a message',
    () => detail(policy().message("string(authorizer.path('/').check('get').allowed())")),
    /undeclared reference to 'authorizer'/,
  ],
  ['a message', () => detail(policy([N]).message('variables.n')), /must evaluate to string but got dyn/],
  ['an annotation', () => detail(policy().annotation("has(object.a) ? 'a' : 'b'")), undefined],
  ['an annotation of nothing', () => detail(policy().annotation('null')), undefined],
  ['another annotation', () => detail(policy().annotation('1')), /^must evaluate to one of \[string null_type\] but got int$/],
  [
    'no variables in match conditions',
    () => detail(policy([N]).matchCondition("variables.n == ''")),
    /undeclared reference to 'variables'/,
  ],
  [
    'an object',
    () => detail(policy().appliedObject('Object{spec: Object.spec{replicas: 3, template: Object.spec.template{}}}')),
    undefined,
  ],
  ['no object', () => detail(policy().appliedObject('{}')), /^must evaluate to Object but got map\(/],
  [
    'patches',
    () => detail(policy().patches("[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: Object.a{b: 1}}]")),
    undefined,
  ],
  ['no patches', () => detail(policy().patches("JSONPatch{op: 'add'}")), /^must evaluate to list\(JSONPatch\) but got JSONPatch$/],
  [
    'another field of a patch',
    () => detail(policy().patches("[JSONPatch{what: 'add'}]")),
    /expected type of field 'what' is '' but provided type is 'string'/,
  ],
];
for (const [name, found, expected] of rows)
  test(name, () => {
    if (expected === undefined) assert.is(found(), undefined);
    else assert.match(found() ?? 'nothing', expected);
  });

const devices: readonly [expression: string | undefined, expected: RegExp | undefined][] = [
  ["device.driver == 'a' && device.attributes['d'].model == 'b' && device.capacity['d'].memory.compareTo(quantity('1Gi')) > 0", undefined],
  ["device.attributes['d'].healthy", undefined],
  ["device.attributes['d'].version.isGreaterThan(semver('1.0.0'))", undefined],
  ["isSemver('v1', true)", /found no matching overload for 'isSemver' applied to '\(string, bool\)'/],
  ['-1', /Invalid value: "-1": must evaluate to bool or the unknown type, not int$/],
  ['device.name', /undefined field 'name'/],
  ['1Gi', /extraneous input 'Gi' expecting <EOF>/],
  [undefined, /Invalid value: "": compilation failed: ERROR: <input>:1:0: Syntax error/],
];
for (const [expression, expected] of devices)
  test(`of devices: ${expression}`, () => {
    const [finding, ...others] = deviceCondition({ expression } as { expression: string });
    assert.is(others.length, 0);
    if (expected === undefined) assert.is(finding, undefined);
    else assert.match(`${finding?.message}`, expected);
  });

interface CompileRow {
  readonly name: string;
  readonly test: string;
  readonly environment: string;
  readonly expression: string;
  readonly error: string | null;
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
}
// A library of the test itself stands in the other environment.
const compiled = tableRows<CompileRow>('admission-cel.json').filter(
  (row) => row.test === 'compile' && row.environment === 'NewExpressions',
);
for (const { name, expression, error, hasParams, hasAuthorizer } of compiled)
  test(`table: ${name}`, () => {
    const environment = admissionEnvironment({ params: hasParams, authorizer: hasAuthorizer }, NEW);
    let found: string | null = null;
    try {
      compile(expression, environment);
    } catch (thrown) {
      if (!(thrown instanceof SyntaxErrors)) throw thrown;
      found = `compilation failed: ${thrown.message}`;
    }
    assert.is(found, error);
  });
test.run();
