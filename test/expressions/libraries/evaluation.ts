/** Compiles and evaluates one expression with the libraries of a release. */
import type { CheckedExpression } from '../../../runtime/expressions/check/checked-expression.ts';
import { compile } from '../../../runtime/expressions/compile.ts';
import type { Library } from '../../../runtime/expressions/environment/declarations.ts';
import { Environment } from '../../../runtime/expressions/environment/environment.ts';
import { Program } from '../../../runtime/expressions/plan/program.ts';
import type { Type } from '../../../runtime/expressions/types/type.ts';
import { ErrorValue, ListValue, MapValue, OpaqueValue, Optional, Uint, type Value } from '../../../runtime/expressions/values/value.ts';

export interface Variable {
  readonly type: Type;
  readonly value: Value;
}

export interface Evaluation {
  readonly value: Value;
  readonly cost: number;
}

/** @param folds whether constants cost nothing. @throws what compiling throws */
export function evaluate(
  source: string,
  libraries: readonly Library[],
  variables: Readonly<Record<string, Variable>> = {},
  folds = true,
): Evaluation {
  const program = new Program(compiled(source, libraries, variables), folds);
  return program.evaluate((name) => variables[name]?.value ?? new ErrorValue(`no such attribute(s): ${name}`), Number.POSITIVE_INFINITY);
}

function compiled(source: string, libraries: readonly Library[], variables: Readonly<Record<string, Variable>>): CheckedExpression {
  const types = Object.fromEntries(Object.entries(variables).map(([name, { type }]) => [name, type]));
  return compile(source, new Environment({ libraries, variables: types, mixedLiterals: true }));
}

/** The value as JavaScript has it; `error: …` for one that failed. */
export function result(source: string, libraries: readonly Library[], variables: Readonly<Record<string, Variable>> = {}): unknown {
  return plainValue(evaluate(source, libraries, variables).value);
}

export function plainValue(value: Value): unknown {
  if (value instanceof ErrorValue) return `error: ${value.message}`;
  if (value instanceof Optional) return value.value === undefined ? 'none' : { some: plainValue(value.value) };
  if (value instanceof ListValue) return Array.from(value, plainValue);
  if (value instanceof MapValue)
    return Object.fromEntries(Array.from(value.keys(), (key) => [String(key), plainValue(value.find(key) as Value)]));
  if (value instanceof Uint) return `${value.value}u`;
  return value instanceof Uint8Array || value instanceof OpaqueValue ? String(value) : value;
}

/** @returns '' for an expression that compiles */
export function compileError(source: string, libraries: readonly Library[], variables: Readonly<Record<string, Variable>> = {}): string {
  try {
    compiled(source, libraries, variables);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}
