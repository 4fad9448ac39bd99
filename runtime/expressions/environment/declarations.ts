/** The declarations of libraries: functions with overloads, macros, types and constants. */
import type { Macro } from '../syntax/macro.ts';
import type { Node } from '../syntax/node.ts';
import type { Type } from '../types/type.ts';
import type { ErrorValue, Value } from '../values/value.ts';

/** Units of cost or of size from `min` to `max`, both inclusive, between 0 and `UNBOUNDED`. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The largest cost or size; greater ones saturate at it. */
export const UNBOUNDED = 2n ** 64n - 1n;

/** An argument, or the target, of a call whose cost is estimated. */
export interface EstimatedArgument {
  readonly node: Node;
  readonly type: Type;
  /** number of code points, bytes, items or entries; 1 for other values */
  readonly size: Range;
  /** the same where the expression itself makes the value, not where a variable has it */
  readonly madeSize: Range | undefined;
  /** for a list: the size of one item */
  readonly itemSize?: Range;
}

export interface CallEstimate {
  readonly cost: Range;
  /** size of the result, if it is known */
  readonly resultSize?: Range;
}

export interface Overload {
  /** such as `add_int64` */
  readonly id: string;
  /** the target is the first one, if there is one */
  readonly parameters: readonly Type[];
  readonly result: Type;
  /** whether it is called on a target; default: false */
  readonly member?: boolean;
  /**
   * whether evaluation stops at the first operand that is an error, without charging the call, as it does for more than two operands;
   * default: false
   */
  readonly inOrder?: boolean;
  /** whether it is also called with errors; default: false */
  readonly takesErrors?: boolean;
  /** Is called with values of the parameter types; the types of their parts are not checked. */
  readonly run: (...args: never[]) => Value;
  /**
   * Makes a function that is run instead, if some arguments are constants.
   * @param constants undefined for computed arguments
   * @returns an error if no call with these constants can succeed, so that the expression has no program
   */
  readonly specialize?: (constants: readonly (Value | undefined)[]) => Overload['run'] | ErrorValue | undefined;
  /** Units of a call, if this is the only overload that it can run; default: 1. Arguments may be errors. */
  readonly cost?: (...args: readonly Value[]) => number;
  /** @param args the target is the first one, if there is one */
  readonly estimate?: (args: readonly EstimatedArgument[]) => CallEstimate | undefined;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** Overloads that only values of unknown type can reach at run time. No expression is compiled with them. */
  readonly undeclared?: readonly Overload[];
  /**
   * The types of a first operand for which the error of a failed call has no name; `any`: all types. For other types, the error names the
   * function. If this is absent, it names the types of all operands.
   */
  readonly takers?: readonly string[] | 'any';
  /**
   * Units of a call, which are charged before it runs; undefined if the overload decides. Arguments may be errors.
   * @param overload the id of the overload, if the call can run only one
   */
  readonly cost?: (args: readonly Value[], overload: string | undefined) => number | undefined;
  /** Units that depend on the result, which may be an error; it replaces `cost`. */
  readonly costOfResult?: (result: Value) => number;
  /** The estimated cost of a call; undefined if the overload decides. @param overload the id of an overload that it may run */
  readonly estimate?: (args: readonly EstimatedArgument[], overload: string) => CallEstimate | undefined;
}

/** An error that a library finds in a checked expression. */
export interface Refusal {
  readonly node: Node;
  readonly message: string;
}

/** An expression with the types of its nodes. */
export interface TypedExpression {
  readonly root: Node;
  typeOf(node: Node): Type;
  /** @returns undefined for a node that is no call */
  callOf(node: Node): { readonly overloads: readonly Overload[] } | undefined;
}

export interface Library {
  readonly name: string;
  /** the first and the last minor release of 1.x whose environment has the library */
  readonly since: number;
  readonly until?: number;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** whether it adds the optional syntax `a.?b`, `a[?b]` and the like */
  readonly optionalSyntax?: boolean;
  /** types that expressions may name */
  readonly types?: readonly Type[];
  readonly constants?: Readonly<Record<string, { readonly type: Type; readonly value: Value }>>;
  /** Finds errors of an expression whose types are right. */
  readonly validate?: (expression: TypedExpression) => readonly Refusal[];
}
