/**
 * Expressions in fields of the API (specification: Expression language): compiled once against what is declared, then evaluated within a
 * budget. What the language has beyond standard operators, macros, texts and lists joins the table of `functions.ts`, new types `types.ts`.
 */
import { typeOf } from './check.ts';
import { Evaluation } from './evaluate.ts';
import { EvaluationError } from './evaluation-error.ts';
import { parseExpression } from './parser.ts';
import { CompileError } from './syntax.ts';
import { fits, type Type, typeText, type Value } from './types.ts';

export { CompileError, EvaluationError as ExpressionError };

export interface ExpressionOptions {
  readonly variables: Readonly<Record<string, Type>>;
  readonly result: Type;
  /** cost units of one evaluation */
  readonly budget: number;
}

export interface CompiledExpression {
  readonly source: string;
  /** @throws ExpressionError */
  evaluate(variables: Readonly<Record<string, Value>>): Value;
}

/** @throws CompileError, whose message has the place */
export function compileExpression(source: string, { variables, result, budget }: ExpressionOptions): CompiledExpression {
  const node = parseExpression(source);
  const type = typeOf(node, new Map(Object.entries(variables)), source);
  if (!fits(result, type)) throw new CompileError(`must evaluate to ${typeText(result)}`);
  return { source, evaluate: (values) => new Evaluation(budget).value(node, new Map(Object.entries(values))) };
}
