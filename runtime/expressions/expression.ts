/** Conditions and values in configuration files (specification: Expression language): compiled once, then evaluated within a budget. */
import { Environment } from './environment/environment.ts';
import { type ExpressionOutcome, expressionFindings, outcomeOf } from './expression-problems.ts';
import { kubernetesLibraries, STORED_EXPRESSIONS } from './libraries/kubernetes.ts';
import type { Node } from './syntax/node.ts';
import type { Type } from './types/type.ts';
import { ErrorValue, type Value } from './values/value.ts';

/** Of a text that is no expression, does not fit what it is about, or has another type than it must have. */
export class CompileError extends Error {
  readonly #source: string;
  readonly #outcome: ExpressionOutcome;

  constructor(source: string, outcome: ExpressionOutcome) {
    super(outcome.problem?.detail);
    this.#source = source;
    this.#outcome = outcome;
  }

  /** @returns a sentence for a list of problems. @param path of the expression in its file */
  toldAt(path: string): string {
    return expressionFindings(this.#outcome, path, this.#source)
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
  }
}

/** An evaluation that failed. */
export class ExpressionError extends Error {}

let base: Environment | undefined;

export interface ExpressionOptions {
  readonly variables: Readonly<Record<string, Type>>;
  /** says what is wrong with the type of the expression; undefined: nothing */
  readonly otherType: (type: Type) => string | undefined;
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
