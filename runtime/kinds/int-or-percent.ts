/** Bounds on numbers of pods: a number, or a percentage of the wanted ones. */
import { type FieldError, invalid } from '../contract/field-error.ts';
import { notNegative } from './core/numbers.ts';
import { patternMessage } from './metadata/names.ts';

export type IntOrString = number | string;

const PERCENT = '[0-9]+%';
const percentPattern = new RegExp(`^${PERCENT}$`);
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%');

export function validateIntOrPercent(value: IntOrString, path: string): FieldError[] {
  if (typeof value === 'number') return notNegative(value, path);
  return percentPattern.test(value) ? [] : [invalid(path, value, PERCENT_MESSAGE)];
}

/** An error for a percentage of more than all. */
export function atMostAll(value: IntOrString, path: string): FieldError[] {
  const tooMuch = typeof value === 'string' && percentPattern.test(value) && Number.parseInt(value, 10) > 100;
  return tooMuch ? [invalid(path, value, 'must not be greater than 100%')] : [];
}
