/** Plans `&&` and `||`: an operand that decides the result wins over errors of the other one. */
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from '../values/value.ts';
import type { Step } from './frame.ts';

export function planAnd(left: Step, right: Step): Step {
  return (frame) => {
    const first = left(frame);
    if (first === false) return false;
    const second = right(frame);
    if (second === false) return false;
    return first === true && second === true ? true : errorOf(first, second);
  };
}

export function planOr(left: Step, right: Step): Step {
  return (frame) => {
    const first = left(frame);
    if (first === true) return true;
    const second = right(frame);
    if (second === true) return true;
    return first === false && second === false ? false : errorOf(first, second);
  };
}

function errorOf(first: Value, second: Value): ErrorValue {
  const failed = typeof first === 'boolean' ? second : first;
  return failed instanceof ErrorValue ? failed : NO_SUCH_OVERLOAD;
}
