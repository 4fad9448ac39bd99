/** Expressions of policies are evaluated, and paid for, as 1.32 does it. */
import { isDeepStrictEqual } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CompiledExpressions } from '../../../runtime/admission/expressions/compiled-expressions.ts';
import {
  type CompiledExpression,
  type Evaluated,
  ExpressionPass,
  OutOfBudget,
  type PassInput,
  type ReadRequest,
} from '../../../runtime/admission/expressions/expression-pass.ts';
import { meetsConditions } from '../../../runtime/admission/expressions/match-conditions.ts';
import { AuthorizerAnswers, requestResourceCheck } from '../../../runtime/admission/request/authorizer-answers.ts';
import type { AccessAttributes } from '../../../runtime/authorization/authorizer.ts';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import { jsonValue } from '../../../runtime/expressions/values/json-values.ts';
import type { AdmissionRelease } from '../../../runtime/kinds/admissionregistration/expressions/admission-environments.ts';
import { LongObject } from '../../../runtime/registry/stored-objects/long-value.ts';
import { rawNumber } from '../../../runtime/schema/scalar/raw-number.ts';
import { tableRows } from '../../harness/tables.ts';

const test = suite('expressions of policies, evaluated');

interface AuthorizerRow {
  readonly match?: Readonly<Record<string, unknown>>;
  readonly matched?: { readonly decision: 'allow' | 'deny' | 'noOpinion'; readonly reason: string; readonly error: string | null };
  readonly otherwise: { readonly decision: 'allow' | 'deny' | 'noOpinion'; readonly reason: string; readonly error: string | null };
}

interface Given {
  readonly object?: object | null;
  readonly oldObject?: object | null;
  readonly params?: object | null;
  readonly hasParams?: boolean;
  readonly namespaceObject?: object | null;
  // biome-ignore lint/suspicious/noExplicitAny: a request as tables have it
  readonly request?: any;
  readonly authorizer?: AuthorizerRow | null;
  readonly variables?: readonly { name: string; expression: string }[];
}

/** What the authorizer is asked, by the names that tables have for it. */
function asTold({ version, group, isResource, user, ...asked }: AccessAttributes): Record<string, unknown> {
  return { ...asked, apiGroup: group, apiVersion: version, resourceRequest: isResource, user: { name: user.name, groups: user.groups } };
}

const isTold = (wanted: Readonly<Record<string, unknown>>, asked: AccessAttributes): boolean => {
  const told = asTold(asked);
  return Object.entries(wanted).every(([name, value]) => name.endsWith('Error') || isDeepStrictEqual(told[name] ?? '', value));
};

function seenOf({ object, oldObject, namespaceObject, request, authorizer }: Given): ReadRequest {
  const answers = new AuthorizerAnswers(
    {
      authorize(attributes) {
        const { match, matched, otherwise } = authorizer as AuthorizerRow;
        const { error, ...decision } = match !== undefined && isTold(match, attributes) ? (matched ?? otherwise) : otherwise;
        return error === null ? decision : { ...decision, error };
      },
      rules: () => Promise.reject(new Error('nobody asks')),
    },
    { user: { name: '', uid: '', groups: [], extra: {} }, request: OWN_WORK },
  );
  const { group = '', resource = '' } = request?.requestResource ?? {};
  const subresource = request?.requestSubResource ?? '';
  const about = { resource: { groupResource: { group, resource } }, subresource, namespace: request?.namespace, name: request?.name };
  const values: Record<string, ReturnType<ReadRequest['read']>> = {
    object: jsonValue(object),
    oldObject: jsonValue(oldObject),
    namespaceObject: jsonValue(namespaceObject),
    request: jsonValue(request),
    authorizer: answers.value,
    'authorizer.requestResource': requestResourceCheck(answers.value, about as never),
  };
  return { read: (name) => values[name] };
}

/** Evaluates them one after the other. @returns what each came to, and what is left of the budget; why none was evaluated any more */
async function evaluated(
  expressions: readonly string[],
  given: Given,
  { release = { minor: 32, gates: {} }, ...input }: Partial<PassInput> & { release?: AdmissionRelease } = {},
): Promise<{ readonly results: readonly Evaluated[]; readonly left: number; readonly error?: string }> {
  const compilation = new CompiledExpressions(
    { ...(given.hasParams && { paramKind: { kind: 'Any' } }), variables: [...(given.variables ?? [])] },
    release.gates,
    release.minor,
  );
  const compiled: CompiledExpression[] = expressions.map((text) =>
    compilation.add(text, (policy) => (text.endsWith("'!") ? policy.message(text) : policy.validation(text))),
  );
  await compilation.ready();
  const params = (given.params ?? undefined) as ApiObject | undefined;
  const pass = new ExpressionPass({
    seen: seenOf(given),
    params,
    variables: compilation.variables,
    authorizer: true,
    mayTakeLong: true,
    ...input,
  });
  try {
    const results = compiled.map((each) => pass.evaluate(each));
    return { results, left: pass.left };
  } catch (error) {
    if (error instanceof OutOfBudget) return { results: [], left: pass.left, error: error.message };
    throw error;
  }
}

const OBJECT = { metadata: { name: 'a' }, spec: { big: rawNumber('9007199254740993'), half: 0.5, gone: undefined, list: [1, 2, 3] } };
const values: readonly [name: string, expression: string, given: Given, expected: unknown][] = [
  ['a member', "object.metadata.name == 'a'", { object: OBJECT }, true],
  ['an integer that JavaScript does not give back', 'object.spec.big == 9007199254740993', { object: OBJECT }, true],
  ['a fraction', 'object.spec.half == 0.5', { object: OBJECT }, true],
  ['a member that is undefined', 'has(object.spec.gone)', { object: OBJECT }, false],
  ['a member that is undefined, among all', "object.spec.map(k, k) == ['big', 'half', 'list']", { object: OBJECT }, true],
  ['a member that every object of JavaScript has', 'has(object.metadata.constructor)', { object: OBJECT }, false],
  ['no object', 'object == null && oldObject == null && params == null', { hasParams: true }, true],
  ['a namespace', "namespaceObject.metadata.labels['a'] == 'b'", { namespaceObject: { metadata: { labels: { a: 'b' } } } }, true],
  ['no namespace', 'namespaceObject == null', {}, true],
  ['a variable that nobody reads', 'true', { variables: [{ name: 'x', expression: 'object.none.none' }] }, true],
  [
    'a variable of variables',
    'variables.b == 2 && variables.b == 2',
    {
      variables: [
        { name: 'a', expression: '1' },
        { name: 'b', expression: 'variables.a + 1' },
      ],
    },
    true,
  ],
];
for (const [name, expression, given, expected] of values)
  test(`the value of ${name}`, async () => assert.equal((await evaluated([expression], given)).results[0], { value: expected }));

const errors: readonly [name: string, expression: string, given: Given, error: string][] = [
  ['what is not there', 'object.none == 1', { object: {} }, "expression 'object.none == 1' resulted in error: no such key: none"],
  [
    'a variable that fails',
    'variables.v',
    { variables: [{ name: 'v', expression: 'object.none == 1' }], object: {} },
    'expression \'variables.v\' resulted in error: composited variable "v" fails to evaluate: no such key: none',
  ],
  [
    'more than an expression may cost',
    'object.list.all(a, object.list.all(b, object.list.all(c, a + b + c > 0)))',
    { object: { list: Array.from({ length: 100 }, (_, index) => index + 1) } },
    "expression 'object.list.all(a, object.list.all(b, object.list.all(c, a + b + c > 0)))' resulted in error: operation cancelled: actual cost limit exceeded",
  ],
];
for (const [name, expression, given, error] of errors)
  test(`the error of ${name}`, async () => assert.equal((await evaluated([expression], given)).results[0], { error }));

test('a policy of an earlier release that does not compile says why', async () => {
  const [result] = (await evaluated(['object.x +'], {})).results;
  assert.match(result?.error ?? '', /^compilation error: compilation failed: ERROR: <input>:1:11: Syntax error/);
});

test('what takes long is left to another thread where others wait for this one', async () => {
  const given = { object: { list: Array.from({ length: 100 }, (_, index) => index) } };
  const expression = 'object.list.all(a, object.list.all(b, object.list.all(c, a + b + c >= 0)))';
  const isLong = (error: unknown) => error instanceof LongObject;
  assert.ok(await evaluated([expression], given, { mayTakeLong: false }).then(() => false, isLong));
  const many = Array.from({ length: 40 }, () => 'object.list.all(a, object.list.exists(b, a == b))');
  assert.ok(await evaluated(many, given, { mayTakeLong: false }).then(() => false, isLong));
  assert.is((await evaluated(many, given)).results.length, 40);
});

const T = 'object.a == 1';
const conditions: readonly [name: string, conditions: readonly string[], failsOpen: boolean, expected: boolean | RegExp][] = [
  ['none', [], false, true],
  ['true ones', [T, 'true'], false, true],
  ['a false one', [T, 'false'], false, false],
  ['a false one beside one that fails', ['object.none == 1', 'false'], false, false],
  ['one that fails', [T, 'object.none == 1'], false, /^expression 'object.none == 1' resulted in error: no such key: none$/],
  ['two that fail', ['object.n == 1', 'object.m == 1'], false, /^\[expression 'object.n == 1'.*, expression 'object.m == 1'.*\]$/],
  ['one that fails, of a policy that fails open', [T, 'object.none == 1'], true, false],
];
for (const [name, texts, failsOpen, expected] of conditions)
  test(`conditions: ${name}`, async () => {
    const compilation = new CompiledExpressions(
      { matchConditions: texts.map((expression, index) => ({ name: `c${index}`, expression })) },
      {},
    );
    await compilation.ready();
    const seen = seenOf({ object: { a: 1 } });
    const outcome = meetsConditions(
      compilation.conditions,
      { seen, params: undefined, variables: new Map(), mayTakeLong: true },
      failsOpen,
    );
    if (expected instanceof RegExp) assert.match((outcome as { error: string }).error, expected);
    else assert.is(outcome, expected);
  });

interface Row extends Given {
  readonly name: string;
  readonly test: string;
  readonly results: readonly { readonly expression: string; readonly value?: unknown; readonly error?: string }[];
  readonly perCallLimit?: number;
  readonly strictCost: boolean;
  readonly selectors?: boolean;
  readonly compatibilityVersion?: string;
  readonly costBudget: number;
  readonly remainingBudget: number;
  readonly error: string | null;
  readonly expression: string;
  readonly expected?: unknown;
}
const rows = tableRows<Row>('admission-cel.json');
const releaseOf = ({ compatibilityVersion = '1.32', selectors = true, strictCost }: Row): AdmissionRelease => ({
  minor: Number(compatibilityVersion.split('.')[1]),
  gates: { authorizeWithSelectors: selectors, strictCost },
});
const expectedOf = ({ value, error }: Row['results'][number]) => (error === undefined ? { value } : { error });

for (const row of rows.filter((each) => each.test === 'condition'))
  test(`table: ${row.name}`, async () => {
    const expressions = row.results.map(({ expression }) => expression);
    const found = await evaluated(expressions, row, { release: releaseOf(row), callUnits: row.perCallLimit ?? 0 });
    assert.equal(found.results, row.results.map(expectedOf));
  });
for (const row of rows.filter((each) => each.test === 'budget'))
  test(`table: ${row.name}`, async () => {
    const expressions = row.results.map(({ expression }) => expression);
    const found = await evaluated(expressions, row, { release: releaseOf(row), budget: row.costBudget });
    assert.is(found.error ?? null, row.error);
    assert.is(found.left, row.remainingBudget);
    if (row.error === null) assert.equal(found.results, row.results.map(expectedOf));
  });
for (const row of rows.filter((each) => each.test === 'composition'))
  test(`table: ${row.name}`, async () => {
    const found = await evaluated([row.expression], row, { release: releaseOf(row), budget: row.costBudget });
    const [result] = found.results;
    if (row.error === undefined || row.error === null) assert.equal(result, { value: row.expected });
    else assert.is(found.error ?? result?.error, row.error);
  });

test.run();
