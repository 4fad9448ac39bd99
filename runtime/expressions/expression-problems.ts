/** Compiles expressions in objects and reports their errors in the words of 1.32. */

import { type FieldError, internal, invalid } from '../contract/field-error.ts';
import { NONE } from '../validation/joined.ts';
import type { CheckedExpression } from './check/checked-expression.ts';
import { compile } from './compile.ts';
import type { Environment } from './environment/environment.ts';
import { InstantiationError } from './plan/plan.ts';
import { Program } from './plan/program.ts';
import { SyntaxErrors } from './syntax/finding.ts';
import type { Node } from './syntax/node.ts';
import { partsOf, type Type, typeName } from './types/type.ts';

export interface ExpressionOutcome {
  /** type of the expression's value; absent if the expression does not compile */
  readonly type?: Type;
  /** this and the next two members are absent if there is a problem */
  readonly checked?: CheckedExpression;
  readonly root?: Node;
  readonly program?: Program;
  readonly problem?: ExpressionProblem;
}

export interface ExpressionProblem {
  readonly reason: 'invalid' | 'internal';
  readonly detail: string;
}

/** @param otherType returns the error of the expression's type, or undefined */
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

/** @param path of the expression, relative to the validated value @param shown the value that the error shows */
export function expressionFindings({ problem }: ExpressionOutcome, path: string, shown: string): readonly FieldError[] {
  if (problem === undefined) return NONE;
  return [problem.reason === 'internal' ? internal(path, problem.detail) : invalid(path, shown, problem.detail)];
}

/** The name of a type as values have it, such as `list(null_type)`; the checker writes it in another way. */
export function typeText(type: Type): string {
  const parts = partsOf(type);
  return parts.length === 0 ? typeName(type) : `${typeName(type)}(${parts.map(typeText).join(', ')})`;
}

/** @param types the expression must have one of them */
export const mustBe =
  (...types: readonly Type[]) =>
  (type: Type): string | undefined => {
    if (types.some((each) => typeText(each) === typeText(type))) return undefined;
    const [only] = types;
    return types.length === 1 && only !== undefined
      ? `must evaluate to ${typeText(only)} but got ${typeText(type)}`
      : `must evaluate to one of [${types.map(typeText).join(' ')}] but got ${typeText(type)}`;
  };

export const ofAnyType = (): undefined => undefined;
