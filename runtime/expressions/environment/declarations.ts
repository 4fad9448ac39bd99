/** What libraries declare: functions with their overloads, macros, types and constants. */
import type { Macro } from '../syntax/macro.ts';
import type { Node } from '../syntax/node.ts';
import type { Type } from '../types/type.ts';
import type { ErrorValue, Value } from '../values/value.ts';

/** Units of cost or of size, both ends included, from 0 to `UNBOUNDED`. */
export interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** The greatest cost or size that is told. */
export const UNBOUNDED = 2n ** 64n - 1n;

/** An argument, or the target, of a call whose cost is estimated. */
export interface EstimatedArgument {
  readonly node: Node;
  readonly type: Type;
  /** how many code points, bytes, items or entries it may have; 1 for other values */
  readonly size: Range;
  /** of a list, how large an item may be */
  readonly itemSize?: Range;
}

export interface CallEstimate {
  readonly cost: Range;
  /** how large the result may be, where that is known */
  readonly resultSize?: Range;
}

export interface Overload {
  /** such as `add_int64` */
  readonly id: string;
  /** the target first, where there is one */
  readonly parameters: readonly Type[];
  readonly result: Type;
  /** whether it is called on a target; false without it */
  readonly member?: boolean;
  /** whether operands behind one that is an error are not evaluated, nor the call charged, as where there are more than two; false without it */
  readonly inOrder?: boolean;
  /** whether it is called with errors as well; false without it */
  readonly takesErrors?: boolean;
  /** Is called with values that fit the parameters, but whose parts may be anything. */
  readonly run: (...args: never[]) => Value;
  /**
   * Makes what an expression runs instead, where it states some arguments.
   * @param constants undefined for those that it computes
   * @returns an error where no call with these can succeed, for which the expression has no program
   */
  readonly specialize?: (constants: readonly (Value | undefined)[]) => Overload['run'] | ErrorValue | undefined;
  /** Units of a call that can run this overload alone; 1 without it. Errors may be among the arguments. */
  readonly cost?: (...args: readonly Value[]) => number;
  /** @param args the target first, where there is one */
  readonly estimate?: (args: readonly EstimatedArgument[]) => CallEstimate | undefined;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** What the function also does with values whose types are known only when it runs: no expression is compiled by these. */
  readonly undeclared?: readonly Overload[];
  /**
   * The types of first operands that take the call whatever the others are, so that its error names nothing; `any` of all. A call on another type is
   * told by the function's name, and without this an error has the types of all operands.
   */
  readonly takers?: readonly string[] | 'any';
  /**
   * Units of a call, whatever overload it runs, which are charged before it runs; undefined where the overload decides. Errors may be among the arguments.
   * @param overload the id of the only overload that the call can run
   */
  readonly cost?: (args: readonly Value[], overload: string | undefined) => number | undefined;
  /** Units of a call whose cost only its result tells, which may be an error; in place of `cost`. */
  readonly costOfResult?: (result: Value) => number;
  /** What a call may cost; undefined where the overload decides. @param overload the id of one that it may run */
  readonly estimate?: (args: readonly EstimatedArgument[], overload: string) => CallEstimate | undefined;
}

/** What is refused of an expression that has its types. */
export interface Refusal {
  readonly node: Node;
  readonly message: string;
}

/** An expression whose types are known. */
export interface TypedExpression {
  readonly root: Node;
  typeOf(node: Node): Type;
  /** @returns undefined for what is no call */
  callOf(node: Node): { readonly overloads: readonly Overload[] } | undefined;
}

export interface Library {
  readonly name: string;
  /** the first and the last minor release of 1.x whose environment has it */
  readonly since: number;
  readonly until?: number;
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** whether it brings `a.?b`, `a[?b]` and the like */
  readonly optionalSyntax?: boolean;
  /** types that expressions may name */
  readonly types?: readonly Type[];
  readonly constants?: Readonly<Record<string, { readonly type: Type; readonly value: Value }>>;
  /** What the library refuses of an expression although its types are right. */
  readonly validate?: (expression: TypedExpression) => readonly Refusal[];
}
