/** Converts between amounts of resources, which are plain numbers, and quantities, which are texts such as `16Gi`. Amounts below 0 become 0. */
import { canonicalQuantity, type Quantity } from '../../schema/scalar/quantity.ts';

const KIB = 1024;

/** Converts a quantity to a floating point number, which is exact enough: amounts of one machine are far below 2^53. */
export function amountOf({ unscaled, exponent }: Quantity): number {
  return Number(unscaled) * 10 ** exponent;
}

/** Writes thousandths of a processor, such as `1500m`. */
export const cpuText = (milli: number): string => canonicalQuantity(`${Math.max(0, Math.floor(milli))}m`);

/** Writes bytes: with a binary unit, such as `16Gi`, if they are whole KiB, and otherwise as a plain number. */
export function bytesText(bytes: number): string {
  const whole = Math.max(0, Math.floor(bytes));
  return whole % KIB === 0 ? canonicalQuantity(`${whole / KIB}Ki`) : canonicalQuantity(String(whole));
}

/** Writes a count, such as `110`. */
export const countText = (count: number): string => canonicalQuantity(String(Math.max(0, Math.floor(count))));
