/**
 * Evaluates `all` and `exists`, of which most rules consist, by a special loop: it charges what their comprehension does, but evaluates
 * only the predicate.
 */
import { ACCUMULATOR, type ComprehensionNode, type Node } from '../syntax/node.ts';
import { ErrorValue, type Value } from '../values/value.ts';
import type { Frame, Step } from './frame.ts';

export interface Quantifier {
  readonly predicate: Node;
  /** the outcome of the predicate that ends the loop: false for `all`, true for `exists` */
  readonly decides: boolean;
}

/** Units of testing whether the loop goes on: reading the accumulator, and for `exists` also a negation. */
const CONDITION_UNITS = { all: 2, exists: 3 };
const ACCUMULATOR_UNITS = 1;
/** Units of reading the accumulator at the end of the loop. */
export const RESULT_UNITS = 1;

/** @returns undefined for the comprehension of another macro */
export function quantifierOf({ initial, condition, step, result, second }: ComprehensionNode): Quantifier | undefined {
  if (second !== undefined || initial.kind !== 'literal' || typeof initial.value !== 'boolean' || !isAccumulator(result)) return undefined;
  if (condition.kind !== 'call' || condition.function !== '@not_strictly_false' || step.kind !== 'call') return undefined;
  const [tested] = condition.args;
  const [accumulated, predicate] = step.args;
  if (!isAccumulator(accumulated) || predicate === undefined) return undefined;
  if (initial.value) return step.function === '_&&_' && isAccumulator(tested) ? { predicate, decides: false } : undefined;
  const isNegated = tested?.kind === 'call' && tested.function === '!_' && isAccumulator(tested.args[0]);
  return step.function === '_||_' && isNegated ? { predicate, decides: true } : undefined;
}

const isAccumulator = (node: Node | undefined): boolean => node?.kind === 'identifier' && node.name === ACCUMULATOR;

/** The accumulator of the loop; an item that decides wins over errors of other items. */
export class QuantifierRun {
  value: Value;
  readonly #predicate: Step;
  readonly #decides: boolean;
  readonly #conditionUnits: number;

  constructor({ decides }: Quantifier, predicate: Step) {
    this.#predicate = predicate;
    this.#decides = decides;
    this.#conditionUnits = decides ? CONDITION_UNITS.exists : CONDITION_UNITS.all;
    this.value = !decides;
  }

  /** Evaluates the predicate for the item in its slot. @returns whether the loop goes on */
  next(frame: Frame): boolean {
    frame.charge(this.#conditionUnits);
    if (this.value === this.#decides) return false;
    frame.charge(ACCUMULATOR_UNITS);
    const outcome = this.#predicate(frame);
    if (outcome === this.#decides) this.value = outcome;
    else if (typeof outcome !== 'boolean' && typeof this.value === 'boolean')
      this.value = outcome instanceof ErrorValue ? outcome : new ErrorValue('no such overload');
    return true;
  }
}
