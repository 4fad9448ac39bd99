/** Rules whose types are right, but that state what cannot be made. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileRules } from '../../../runtime/structural-schema/rules/compiled-rules.ts';
import { type DeclaredType, declaredType } from '../../../runtime/structural-schema/rules/declared-type.ts';
import { newRules } from '../../../runtime/structural-schema/rules/rule-environments.ts';

const declared = declaredType({ type: 'string' }, false) as DeclaredType;
const compiled = (rule: string, messageExpression?: string) =>
  compileRules([{ rule, messageExpression }], declared, { environmentOf: newRules })[0];

const PROBLEMS: readonly [stated: string, problem: string][] = [
  ["self.find('(')", 'error parsing regexp: missing closing ): `(`'],
  ["self.findAll('[')[0]", 'error parsing regexp: missing closing ]: `[`'],
  ["self.findAll('a**', 2)[0]", 'error parsing regexp: invalid nested repetition operator: `**`'],
  ["string(int('x'))", "type conversion error from 'string' to 'int'"],
];

const test = suite('rules that have no program');
for (const [stated, problem] of PROBLEMS) {
  test(`${stated}, in a rule`, () =>
    assert.is(compiled(`self == '' || ${stated} == ''`)?.problem, `program instantiation failed: ${problem}`));
  test(`${stated}, in a message`, () =>
    assert.is(compiled('self == self', stated)?.messageProblem, `messageExpression instantiation failed: ${problem}`));
}
test('what a value tells is known only later', () => {
  const rule = compiled('self.find(self) == self && int(self) == 1');
  assert.is(rule?.problem, undefined);
  assert.ok(rule?.condition);
});
test.run();
