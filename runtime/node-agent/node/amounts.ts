/** Amounts of resources as numbers, and the quantities that tell them. */
import { canonicalQuantity, type Quantity } from '../../schema/scalar/quantity.ts';

const KIB = 1024;

/** As a floating point number: amounts of one machine are far below 2^53. */
export function amountOf({ unscaled, exponent }: Quantity): number {
  return Number(unscaled) * 10 ** exponent;
}

/** Thousandths of a processor, such as `1500m`. */
export const cpuText = (milli: number): string => canonicalQuantity(`${Math.max(0, Math.floor(milli))}m`);

/** Bytes in the binary format, such as `16Gi`. */
export function bytesText(bytes: number): string {
  const whole = Math.max(0, Math.floor(bytes));
  return whole % KIB === 0 ? canonicalQuantity(`${whole / KIB}Ki`) : canonicalQuantity(String(whole));
}

/** Such as `110`. */
export const countText = (count: number): string => canonicalQuantity(String(Math.max(0, Math.floor(count))));
