/** A planned expression, which can be evaluated any number of times. */
import type { CheckedExpression } from '../check/checked-expression.ts';
import { forgetMemberCounts } from '../values/member-count.ts';
import { ErrorValue, UnhashableKey, type Value } from '../values/value.ts';
import { CostLimitExceeded, EvaluationInterrupted, Frame, type LazyValue, type Step } from './frame.ts';
import { Planner } from './planner.ts';

/** The result of one evaluation. */
export interface Outcome {
  /** an error if the evaluation has failed */
  readonly value: Value;
  /** units that the evaluation has cost, including those that exceeded the limit */
  readonly cost: number;
  /** whether the evaluation was ended because it exceeded the limit */
  readonly isOverLimit: boolean;
}

export class Program {
  /** names of the environment's variables that the expression reads */
  readonly variables: readonly string[];
  readonly #step: Step;
  readonly #slots: number;

  /**
   * @param folds whether constant parts are evaluated now and cost nothing later, as in all environments of 1.32
   * @throws InstantiationError if a constant part is invalid
   */
  constructor(checked: CheckedExpression, folds = true) {
    const planner = new Planner(checked, folds);
    this.#step = planner.step(checked.root);
    this.variables = planner.variables;
    this.#slots = planner.slots;
  }

  /**
   * @param read returns the value of a variable, or a function that computes it when it is first read
   * @param limit units
   */
  evaluate(read: (variable: string) => Value | LazyValue, limit: number): Outcome {
    forgetMemberCounts();
    const slots = new Array<Value | LazyValue>(this.#slots);
    for (let index = 0; index < this.variables.length; index++) slots[index] = read(this.variables[index] as string);
    const frame = new Frame(limit, slots);
    try {
      const value = this.#step(frame);
      return { value, cost: frame.cost, isOverLimit: false };
    } catch (error) {
      if (error instanceof CostLimitExceeded) return { value: new ErrorValue(error.message), cost: frame.cost, isOverLimit: true };
      const value = failureOf(error);
      if (value === undefined) throw error;
      return { value, cost: frame.cost, isOverLimit: false };
    }
  }
}

function failureOf(error: unknown): ErrorValue | undefined {
  if (error instanceof EvaluationInterrupted || error instanceof UnhashableKey) return new ErrorValue(error.message);
  return error instanceof RangeError ? new ErrorValue('values are nested too deeply') : undefined;
}
