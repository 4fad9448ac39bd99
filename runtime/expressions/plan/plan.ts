/** Types of the planner. */
import type { CheckedExpression } from '../check/checked-expression.ts';
import type { Node } from '../syntax/node.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import type { Attribute } from './attribute.ts';
import type { Step } from './frame.ts';

/** The plan of a node. */
export interface Plan {
  readonly step: Step;
  /** the value of a constant node, which costs nothing */
  readonly constant?: Value;
  /** set for a node to which selections can be added */
  readonly attribute?: Attribute;
}

export const constantPlan = (constant: Value): Plan => ({ step: () => constant, constant });

/** In a lenient environment, an expression that does not fit fails during evaluation. */
export function failingPlan(message: string): Plan {
  const error = new ErrorValue(message);
  return { step: () => error };
}

/** A constant part of the expression is invalid, such as a failing conversion or a wrong pattern, so the expression has no program. */
export class InstantiationError extends Error {}

export interface Planning {
  readonly checked: CheckedExpression;
  /** whether constant literals and calls are evaluated once while planning, at no cost */
  readonly folds: boolean;
  plan(node: Node): Plan;
  step(node: Node): Step;
  /** Plans nodes that see a variable of a comprehension. @param plan gets the variable's slot */
  within<T>(name: string, plan: (slot: number) => T): T;
}
