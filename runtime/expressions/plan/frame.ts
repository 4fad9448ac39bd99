import type { Value } from '../values/value.ts';

/** A variable whose value is made when it is first read. */
export type LazyValue = () => Value;

/** Evaluation ends here: what it has cost is more than it may. No expression catches it. */
export class CostLimitExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** One evaluation that is under way. */
export class Frame {
  cost = 0;
  readonly limit: number;
  /** of variables, then of comprehensions */
  readonly slots: (Value | LazyValue)[];

  constructor(limit: number, slots: (Value | LazyValue)[]) {
    this.limit = limit;
    this.slots = slots;
  }

  /** @throws CostLimitExceeded */
  charge(units: number): void {
    this.cost += units;
    if (this.cost > this.limit) throw new CostLimitExceeded();
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
