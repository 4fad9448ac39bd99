/** Limits of numbers, which may be of 64 bits. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { inclusiveRange } from '../../formats/messages.ts';
import { numeric } from '../../schema/scalar/raw-number.ts';

/** An error for a number out of a range; an absent one is in it. */
export function inRange(value: unknown, path: string, lowest: number, highest: number): FieldError[] {
  if (value === undefined || value === null) return [];
  const number = numeric(value);
  return number < lowest || number > highest ? [invalid(path, value, inclusiveRange(lowest, highest))] : [];
}

/** An error for a negative number; an absent one is 0. */
export function notNegative(value: unknown, path: string): FieldError[] {
  return numeric(value) < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
}
