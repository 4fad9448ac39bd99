import type { Value } from '../values/value.ts';

/** Computes the value of a variable when it is first read. */
export type LazyValue = () => Value;

/** The cost exceeds the limit. It ends the evaluation, and no expression can catch it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** The evaluation has taken too long. 1.32 ends one when its request times out; here it would block all other requests as well. */
export class EvaluationInterrupted extends Error {
  constructor() {
    super('operation interrupted');
  }
}

/** Evaluations within the cost limit take a hundredth of this, unless texts were made to be slow. */
const MAX_MILLISECONDS = 5_000;
/** Units between two reads of the clock. */
const CLOCK_UNITS = 100;

/** The state of one evaluation. */
export class Frame {
  cost = 0;
  readonly limit: number;
  /** the cost at which the limit or the clock must be checked next */
  #watched: number;
  /** by `performance.now()`; set at the first check */
  #end: number | undefined;
  /** values of variables, followed by those of comprehensions */
  readonly slots: (Value | LazyValue)[];

  constructor(limit: number, slots: (Value | LazyValue)[]) {
    this.limit = limit;
    this.#watched = Math.min(limit, CLOCK_UNITS);
    this.slots = slots;
  }

  /** @throws CostLimitExceeded, EvaluationInterrupted */
  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.#watched) this.#watch();
  }

  #watch(): void {
    if (this.cost > this.limit) throw new CostLimitExceeded();
    const now = performance.now();
    this.#end ??= now + MAX_MILLISECONDS;
    if (now > this.#end) throw new EvaluationInterrupted();
    this.#watched = Math.min(this.limit, this.cost + CLOCK_UNITS);
  }

  /** The value of a variable, which is computed at the first read. */
  read(slot: number): Value {
    const value = this.slots[slot] as Value | LazyValue;
    if (typeof value !== 'function') return value;
    const made = value();
    this.slots[slot] = made;
    return made;
  }
}

export type Step = (frame: Frame) => Value;
