/** Compiles a text to a checked expression. */
import type { CheckedExpression } from './check/checked-expression.ts';
import { check } from './check/checker.ts';
import type { Environment } from './environment/environment.ts';
import { parse } from './syntax/parser.ts';

/** @throws SyntaxErrors for a text that is no expression, or does not fit the environment */
export function compile(source: string, environment: Environment): CheckedExpression {
  const { macros, optionalSyntax, quotedNames } = environment;
  return check(parse(source, { macros, optionalSyntax, quotedNames }), environment);
}
