import type { Value } from '../values/value.ts';

/** A variable whose value is made when it is first read. */
export type LazyValue = () => Value;

/** Evaluation ends here: what it has cost is more than it may. No expression catches it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/**
 * Evaluation ends here: it has taken too long. 1.32 ends one when its request has waited too long; here, all other requests wait as well.
 */
export class EvaluationInterrupted extends Error {
  constructor() {
    super('operation interrupted');
  }
}

/** What costs no more than it may takes a hundredth of this, unless texts were made to be slow. */
const MAX_MILLISECONDS = 5_000;
/** Units between two looks at the clock. */
const CLOCK_UNITS = 100;

/** One evaluation that is under way. */
export class Frame {
  cost = 0;
  readonly limit: number;
  /** the cost from which on something is to be looked at */
  #watched: number;
  /** of the clock */
  #end: number | undefined;
  /** of variables, then of comprehensions */
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

  /** The value of a variable, which is made now if nobody has read it. */
  read(slot: number): Value {
    const value = this.slots[slot] as Value | LazyValue;
    if (typeof value !== 'function') return value;
    const made = value();
    this.slots[slot] = made;
    return made;
  }
}

export type Step = (frame: Frame) => Value;
