/** A bound on a number of pods: a number, or a percentage from 0 to 100. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { notNegative } from '../core/numbers.ts';
import { patternMessage } from '../metadata/names.ts';

const PERCENT = '[0-9]+%';
const percentPattern = new RegExp(`^${PERCENT}$`);
const PERCENT_MESSAGE = patternMessage("a valid percent string must be a numeric string followed by an ending '%'", PERCENT, '1%', '93%');

export function validateIntOrPercent(value: number | string, path: string): FieldError[] {
  if (typeof value === 'number') return notNegative(value, path);
  if (!percentPattern.test(value)) return [invalid(path, value, PERCENT_MESSAGE)];
  return Number.parseInt(value, 10) > 100 ? [invalid(path, value, 'must not be greater than 100%')] : [];
}
