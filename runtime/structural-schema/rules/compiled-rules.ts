/** Compiles the rules of a schema, and estimates their costs. */

import type { CheckedExpression } from '../../expressions/check/checked-expression.ts';
import { compile } from '../../expressions/compile.ts';
import { type Estimate, estimateCost } from '../../expressions/costs/estimate.ts';
import type { Environment } from '../../expressions/environment/environment.ts';
import { InstantiationError } from '../../expressions/plan/plan.ts';
import { Program } from '../../expressions/plan/program.ts';
import { SyntaxErrors } from '../../expressions/syntax/finding.ts';
import type { Type } from '../../expressions/types/type.ts';
import type { ValidationRule } from '../custom-schema.ts';
import { type DeclaredType, sizeAt } from './declared-type.ts';
import { type EnvironmentOf, withSelf } from './rule-environments.ts';
import { type Counting, compilationOf, timed } from './rule-figures.ts';

export interface CompiledExpression {
  readonly program: Program;
  readonly checked: CheckedExpression;
}

/** A compiled rule. A blank rule has neither a condition nor a problem. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly condition?: CompiledExpression;
  /** the error of compilation, in the words of 1.32 */
  readonly problem?: string;
  readonly usesOldSelf: boolean;
  readonly message?: CompiledExpression;
  readonly messageProblem?: string;
}

/** @param declared type of the values that have the rules */
export function compileRules(
  rules: readonly ValidationRule[],
  declared: DeclaredType,
  { environmentOf, context = {} }: { readonly environmentOf: EnvironmentOf; readonly context?: Counting },
): readonly CompiledRule[] {
  return timed(compilationOf(context), () => rules.map((rule) => compileRule(rule, declared.type, environmentOf)));
}

function compileRule(rule: ValidationRule, self: Type, environmentOf: EnvironmentOf): CompiledRule {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false };
  const environment: EnvironmentOf = (source, member) => withSelf(environmentOf(source, member), self, rule.optionalOldSelf === true);
  const condition = compiled(rule.rule, environment(rule.rule, 'rule'), CONDITION);
  if (typeof condition === 'string') return { rule, usesOldSelf: false, problem: condition };
  const usesOldSelf = condition.program.variables.includes('oldSelf');
  if (!rule.messageExpression?.trim()) return { rule, usesOldSelf, condition };
  const message = compiled(rule.messageExpression, environment(rule.messageExpression, 'messageExpression'), MESSAGE);
  return typeof message === 'string'
    ? { rule, usesOldSelf, condition, messageProblem: message }
    : { rule, usesOldSelf, condition, message };
}

/** The type that an expression must have, and the errors of 1.32. */
interface Purpose {
  readonly kind: Type['kind'];
  readonly otherKind: string;
  readonly compilation: string;
  readonly instantiation: string;
}

const CONDITION: Purpose = {
  kind: 'bool',
  otherKind: 'cel expression must evaluate to a bool',
  compilation: 'compilation failed',
  instantiation: 'program instantiation failed',
};
const MESSAGE: Purpose = {
  kind: 'string',
  otherKind: 'messageExpression must evaluate to a string',
  compilation: 'messageExpression compilation failed',
  instantiation: 'messageExpression instantiation failed',
};

/** @returns the error if it does not compile */
function compiled(source: string, environment: Environment, purpose: Purpose): CompiledExpression | string {
  try {
    const checked = compile(source, environment);
    return checked.type.kind === purpose.kind ? { checked, program: new Program(checked) } : purpose.otherKind;
  } catch (error) {
    if (error instanceof SyntaxErrors) return `${purpose.compilation}: ${error.message}`;
    if (error instanceof InstantiationError) return `${purpose.instantiation}: ${error.message}`;
    throw error;
  }
}

export function estimateOf({ checked }: CompiledExpression, declared: DeclaredType): Estimate {
  return estimateCost(checked, (path) => (path === undefined ? undefined : sizeAt(declared, path)));
}
