/** Quantities and durations as texts. */
import { readDuration } from '../schema/scalar/duration.ts';
import { parseQuantity, type Quantity } from '../schema/scalar/quantity.ts';
import { ScalarError } from '../schema/scalar/scalar-error.ts';
import { NOTHING } from './messages.ts';

/** Accepts a quantity such as `500m` or `2Gi`. */
export function quantity(value: string): readonly string[] {
  const read = readQuantity(value);
  return typeof read === 'string' ? [read] : NOTHING;
}

/** @returns the error if the text is no quantity */
function readQuantity(value: string): Quantity | string {
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof ScalarError) return error.message;
    throw error;
  }
}

/** Accepts a quantity of at least zero. */
export function amountNotNegative(value: string): readonly string[] {
  const read = readQuantity(value);
  if (typeof read === 'string') return [read];
  return read.unscaled < 0n ? ['must be greater than or equal to 0'] : NOTHING;
}

/** Accepts a quantity of more than zero. */
export function positiveAmount(value: string): readonly string[] {
  const read = readQuantity(value);
  if (typeof read === 'string') return [read];
  return read.unscaled <= 0n ? ['must be greater than zero'] : NOTHING;
}

/** Accepts a duration such as `1h30m`. */
export function duration(value: string): readonly string[] {
  const read = readDuration(value);
  return typeof read === 'string' ? [read] : NOTHING;
}

/** Accepts a duration of at least zero. */
export function durationNotNegative(value: string): readonly string[] {
  const read = readDuration(value);
  if (typeof read === 'string') return [read];
  return read < 0n ? ['must not be negative'] : NOTHING;
}

/** Accepts a duration of more than zero. */
export function positiveDuration(value: string): readonly string[] {
  const read = readDuration(value);
  if (typeof read === 'string') return [read];
  return read <= 0n ? ['must be greater than zero'] : NOTHING;
}
