/** How release 1.32 compiles rules of schemas, and what it says that they cost: rows of `cel-compile.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { STRING } from '../../../runtime/expressions/types/type.ts';
import type { CustomSchema, ValidationRule } from '../../../runtime/structural-schema/custom-schema.ts';
import { type CompiledExpression, compileRules, estimateOf } from '../../../runtime/structural-schema/rules/compiled-rules.ts';
import { declaredType, SELF } from '../../../runtime/structural-schema/rules/declared-type.ts';
import { type EnvironmentOf, newRules, storedRules } from '../../../runtime/structural-schema/rules/rule-environments.ts';
import { tableRows } from '../../harness/tables.ts';

type Exact = number | { readonly rawJSON: string };

interface Observed {
  readonly error?: { readonly text: string };
  readonly messageExpressionError?: { readonly text: string };
  readonly maxCost: Exact;
  readonly usesOldSelf: boolean;
}

interface Row {
  readonly name: string;
  readonly kind: 'compile' | 'cost';
  readonly schema: CustomSchema;
  readonly unmodified?: boolean;
  readonly results?: readonly { readonly rule: ValidationRule; readonly observed: Observed }[];
  readonly observedCost?: Exact;
}

/** A function that a far later release brings, which stored rules alone may use. */
const later = {
  name: 'later',
  since: 99,
  functions: [
    {
      name: 'fakeFunction',
      overloads: [{ id: 'fake_function', parameters: [STRING], result: STRING, run: (text: string) => text.toUpperCase() }],
    },
  ],
};
const withLater: EnvironmentOf = (source, member) => storedRules(source, member).extend({ libraries: [later] });
const shown = (value: Exact): string => (typeof value === 'number' ? String(value) : value.rawJSON);

const test = suite('tables of compiled rules');
const rows = tableRows<Row>('cel-compile.json', 'spelled');
if (rows.length === 0) test.skip('no tables beside the checkout', () => {});
for (const { name, schema, unmodified, results = [], observedCost } of rows)
  test(name, () => {
    const declared = declaredType(schema, false);
    assert.ok(declared);
    const compiled = compileRules(schema['x-kubernetes-validations'] ?? [], declared, {
      environmentOf: unmodified === true ? withLater : newRules,
    });
    const cost = (of: CompiledExpression | undefined) => (of === undefined ? '0' : String(estimateOf(of, declared).cost.max));
    if (observedCost !== undefined) assert.is(cost(compiled[0]?.condition), shown(observedCost));
    results.forEach(({ observed }, index) => {
      const { problem, messageProblem, condition, usesOldSelf } = compiled[index] as NonNullable<(typeof compiled)[number]>;
      assert.is(problem, observed.error?.text.replaceAll(/selfType\d+/g, SELF));
      assert.is(messageProblem, observed.messageExpressionError?.text.replaceAll(/selfType\d+/g, SELF));
      if (problem === undefined && condition !== undefined) assert.is(cost(condition), shown(observed.maxCost));
      assert.is(usesOldSelf, observed.usesOldSelf);
    });
  });
test.run();
