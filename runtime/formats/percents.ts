/** Numbers, or percentages of a whole. */
import { NOTHING, patternMessage } from './messages.ts';

export type IntOrString = number | string;

const PERCENT = '[0-9]+%';
const percentPattern = new RegExp(`^${PERCENT}$`);
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%');

/** A share such as `25%`, which may be more than all. */
export function percent(value: string): readonly string[] {
  return percentPattern.test(value) ? NOTHING : [PERCENT_MESSAGE];
}

/** A number that is not negative, or a percentage. */
export function intOrPercent(value: IntOrString): readonly string[] {
  if (typeof value === 'string') return percent(value);
  return value < 0 ? ['must be greater than or equal to 0'] : NOTHING;
}

/** A number, or a percentage of 100 at most; texts of another form are let through. */
export function atMostAll(value: IntOrString): readonly string[] {
  const tooMuch = typeof value === 'string' && percentPattern.test(value) && Number.parseInt(value, 10) > 100;
  return tooMuch ? ['must not be greater than 100%'] : NOTHING;
}
