/** What planning a node gives, and what it takes. */
import type { CheckedExpression } from '../check/checked-expression.ts';
import type { Node } from '../syntax/node.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import type { Attribute } from './attribute.ts';
import type { Step } from './frame.ts';

/** A node that was planned. */
export interface Plan {
  readonly step: Step;
  /** the value of a node that always has the same; such nodes cost nothing */
  readonly constant?: Value;
  /** of a node that selections can be added to */
  readonly attribute?: Attribute;
}

export const constantPlan = (constant: Value): Plan => ({ step: () => constant, constant });

/** Of what does not fit its environment, in a lenient one. */
export function failingPlan(message: string): Plan {
  const error = new ErrorValue(message);
  return { step: () => error };
}

/** What an expression states cannot be made, such as a conversion that fails or a pattern that is none: it has no program. */
export class InstantiationError extends Error {}

export interface Planning {
  readonly checked: CheckedExpression;
  /** whether literals of constants, and calls with them, are made once, and cost nothing */
  readonly folds: boolean;
  plan(node: Node): Plan;
  step(node: Node): Step;
  /** Plans with a variable of a comprehension, whose slot the plan gets. */
  within<T>(name: string, plan: (slot: number) => T): T;
}
