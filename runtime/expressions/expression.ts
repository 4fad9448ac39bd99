/** Conditions and values in configuration files (specification: Expression language): compiled once, then evaluated within a budget. */
import type { CheckedExpression } from './check/checked-expression.ts';
import { compile } from './compile.ts';
import { Environment } from './environment/environment.ts';
import { kubernetesLibraries } from './libraries/kubernetes.ts';
import { InstantiationError } from './plan/plan.ts';
import { Program } from './plan/program.ts';
import { SyntaxErrors } from './syntax/finding.ts';
import type { Node } from './syntax/node.ts';
import { Substitutions } from './types/substitutions.ts';
import { type Type, typeText } from './types/type.ts';
import { ErrorValue, type Value } from './values/value.ts';

export { SyntaxErrors as CompileError };

/** An evaluation that failed. */
export class ExpressionError extends Error {}

/** The release whose libraries new expressions may use: that before this one, so that a rollback finds expressions it knows. */
const RELEASE = 31;
let base: Environment | undefined;

export interface ExpressionOptions {
  readonly variables: Readonly<Record<string, Type>>;
  readonly result: Type;
  /** cost units of one evaluation */
  readonly budget: number;
}

export interface CompiledExpression {
  readonly source: string;
  readonly root: Node;
  /** @throws ExpressionError */
  evaluate(variables: Readonly<Record<string, Value>>): Value;
}

const absent = (name: string): Value => new ErrorValue(`no such attribute(s): ${name}`);

function instantiated(source: string, checked: CheckedExpression): Program {
  try {
    return new Program(checked);
  } catch (error) {
    if (error instanceof InstantiationError) throw new SyntaxErrors(source, [{ at: undefined, message: error.message }]);
    throw error;
  }
}

/** @throws CompileError, whose message has the places */
export function compileExpression(source: string, { variables, result, budget }: ExpressionOptions): CompiledExpression {
  base ??= new Environment({ libraries: kubernetesLibraries(RELEASE), mixedLiterals: true });
  const checked = compile(source, base.extend({ variables }));
  if (!new Substitutions().unify(result, checked.type))
    throw new SyntaxErrors(source, [{ at: undefined, message: `must evaluate to ${typeText(result)}` }]);
  const program = instantiated(source, checked);
  return {
    source,
    root: checked.root,
    evaluate(values) {
      const { value } = program.evaluate((name) => (Object.hasOwn(values, name) ? (values[name] as Value) : absent(name)), budget);
      if (value instanceof ErrorValue) throw new ExpressionError(value.message);
      return value;
    },
  };
}
