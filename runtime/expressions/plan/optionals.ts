/** Plans `or` and `orValue` of optional values, which cost nothing in 1.32. A target that is no optional value is returned as it is. */
import { Optional } from '../values/value.ts';
import type { Step } from './frame.ts';

export function planOptionalOr(optional: Step, alternative: Step): Step {
  return (frame) => {
    const value = optional(frame);
    return value instanceof Optional && value.value === undefined ? alternative(frame) : value;
  };
}

export function planOptionalOrValue(optional: Step, alternative: Step): Step {
  return (frame) => {
    const value = optional(frame);
    if (!(value instanceof Optional)) return value;
    return value.value === undefined ? alternative(frame) : value.value;
  };
}
