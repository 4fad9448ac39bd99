/** Whether expressions in objects compile, and what else they must be, in the words of 1.32. */

import { type FieldError, internal, invalid } from '../contract/field-error.ts';
import { NONE } from '../validation/joined.ts';
import type { CheckedExpression } from './check/checked-expression.ts';
import { compile } from './compile.ts';
import type { Environment } from './environment/environment.ts';
import { InstantiationError } from './plan/plan.ts';
import { Program } from './plan/program.ts';
import { SyntaxErrors } from './syntax/finding.ts';
import type { Node } from './syntax/node.ts';
import { Substitutions } from './types/substitutions.ts';
import { partsOf, type Type, typeName } from './types/type.ts';

export interface ExpressionOutcome {
  /** of what the expression evaluates to; absent where it does not compile */
  readonly type?: Type;
  /** these three are absent where there is a problem */
  readonly checked?: CheckedExpression;
  readonly root?: Node;
  readonly program?: Program;
  readonly problem?: ExpressionProblem;
}

export interface ExpressionProblem {
  readonly reason: 'invalid' | 'internal';
  readonly detail: string;
}

/** @param otherType says what is wrong with the type of an expression; undefined: nothing */
export function outcomeOf(source: string, environment: Environment, otherType: (type: Type) => string | undefined): ExpressionOutcome {
  try {
    const checked = compile(source, environment);
    const detail = otherType(checked.type);
    if (detail !== undefined) return { problem: { reason: 'invalid', detail } };
    return { type: checked.type, checked, root: checked.root, program: new Program(checked) };
  } catch (error) {
    if (error instanceof SyntaxErrors) return { problem: { reason: 'invalid', detail: `compilation failed: ${error.message}` } };
    if (error instanceof InstantiationError)
      return { problem: { reason: 'internal', detail: `program instantiation failed: ${error.message}` } };
    throw error;
  }
}

/** @param path of the expression, from the value at hand. @param shown as the value of the finding */
export function expressionFindings({ problem }: ExpressionOutcome, path: string, shown: string): readonly FieldError[] {
  if (problem === undefined) return NONE;
  return [problem.reason === 'internal' ? internal(path, problem.detail) : invalid(path, shown, problem.detail)];
}

/** A type by the names that values of it have, such as `list(null_type)`: checkers word it otherwise. */
export function typeText(type: Type): string {
  const parts = partsOf(type);
  return parts.length === 0 ? typeName(type) : `${typeName(type)}(${parts.map(typeText).join(', ')})`;
}

/** @param types of which the expression must have one */
export const mustBe =
  (...types: readonly Type[]) =>
  (type: Type): string | undefined => {
    if (types.some((each) => typeText(each) === typeText(type))) return undefined;
    const [only] = types;
    return types.length === 1 && only !== undefined
      ? `must evaluate to ${typeText(only)} but got ${typeText(type)}`
      : `must evaluate to one of [${types.map(typeText).join(' ')}] but got ${typeText(type)}`;
  };

/** As {@link mustBe}, where values show whether an expression of a type that is not known has the type. */
export const mayBe =
  (wanted: Type) =>
  (type: Type): string | undefined =>
    new Substitutions().unify(wanted, type) ? undefined : mustBe(wanted)(type);

export const ofAnyType = (): undefined => undefined;
