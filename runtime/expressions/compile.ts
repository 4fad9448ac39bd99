/** From a text to an expression whose types are known. */
import type { CheckedExpression } from './check/checked-expression.ts';
import { check } from './check/checker.ts';
import type { Environment } from './environment/environment.ts';
import { parse } from './syntax/parser.ts';

/** @throws SyntaxErrors for a text that is no expression, or does not fit the environment */
export function compile(source: string, environment: Environment): CheckedExpression {
  const { macros, optionalSyntax, quotedNames } = environment;
  return check(parse(source, { macros, optionalSyntax, quotedNames }), environment);
}
