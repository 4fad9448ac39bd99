/** Numbers of 64 bits, which are not always JavaScript numbers. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { numberText } from '../../schema/raw-number.ts';

/** The value of a number of either kind for comparing it with limits; what a double cannot tell apart does not matter there. */
export function numeric(value: unknown): number {
  return typeof value === 'number' ? value : Number(numberText(value) ?? 0);
}

export const inclusiveRange = (lowest: number, highest: number): string => `must be between ${lowest} and ${highest}, inclusive`;

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
