/**
 * Conditions and values in configuration files (specification: Expression language), which are compiled once and evaluated with a cost
 * limit.
 */
import { Environment } from './environment/environment.ts';
import { type ExpressionOutcome, expressionFindings, outcomeOf } from './expression-problems.ts';
import { kubernetesLibraries, STORED_EXPRESSIONS } from './libraries/kubernetes.ts';
import type { Node } from './syntax/node.ts';
import type { Type } from './types/type.ts';
import { ErrorValue, type Value } from './values/value.ts';

/** The text is no expression, does not fit its variables, or has a wrong type. */
export class CompileError extends Error {
  readonly #source: string;
  readonly #outcome: ExpressionOutcome;

  constructor(source: string, outcome: ExpressionOutcome) {
    super(outcome.problem?.detail);
    this.#source = source;
    this.#outcome = outcome;
  }

  /** @param path of the expression in its file @returns a sentence for a list of problems */
  toldAt(path: string): string {
    return expressionFindings(this.#outcome, path, this.#source)
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
  }
}

/** An evaluation has failed. */
export class ExpressionError extends Error {}

let base: Environment | undefined;

export interface ExpressionOptions {
  readonly variables: Readonly<Record<string, Type>>;
  /** returns the error of the expression's type, or undefined */
  readonly otherType: (type: Type) => string | undefined;
  /** limit of the cost units of one evaluation */
  readonly budget: number;
}

export interface CompiledExpression {
  readonly source: string;
  readonly root: Node;
  /** @throws ExpressionError */
  evaluate(variables: Readonly<Record<string, Value>>): Value;
}

const absent = (name: string): Value => new ErrorValue(`no such attribute(s): ${name}`);

/** @throws CompileError */
export function compileExpression(source: string, { variables, otherType, budget }: ExpressionOptions): CompiledExpression {
  base ??= new Environment({ libraries: kubernetesLibraries(STORED_EXPRESSIONS), mixedLiterals: true });
  const outcome = outcomeOf(source, base.extend({ variables }), otherType);
  const { root, program } = outcome;
  if (root === undefined || program === undefined) throw new CompileError(source, outcome);
  return {
    source,
    root,
    evaluate(values) {
      const { value } = program.evaluate((name) => (Object.hasOwn(values, name) ? (values[name] as Value) : absent(name)), budget);
      if (value instanceof ErrorValue) throw new ExpressionError(value.message);
      return value;
    },
  };
}
