/** Formats doubles with any precision. They are rounded to the nearest decimal as in Go; ties go to the even digit. */

/** The parts of a double that is `mantissa * 2^exponent`. */
function partsOf(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const high = bits.getUint32(0) & 0x7fffffff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(bits.getUint32(4));
  const power = high >>> 20;
  return power === 0 ? { mantissa: fraction, exponent: -1074 } : { mantissa: fraction | (1n << 52n), exponent: power - 1075 };
}

/** `numerator / denominator`, rounded. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const twice = 2n * (numerator - quotient * denominator);
  if (twice < denominator) return quotient;
  return twice > denominator || quotient % 2n === 1n ? quotient + 1n : quotient;
}

/** `|value| * 10^places`, rounded. */
function scaled(value: number, places: number): bigint {
  const { mantissa, exponent } = partsOf(value);
  const numerator = (mantissa << BigInt(Math.max(0, exponent))) * 10n ** BigInt(Math.max(0, places));
  const denominator = (1n << BigInt(Math.max(0, -exponent))) * 10n ** BigInt(Math.max(0, -places));
  return rounded(numerator, denominator);
}

export interface FixedDigits {
  readonly whole: string;
  /** exactly as many digits as requested */
  readonly fraction: string;
}

/** The digits of a finite number without its sign. @param places number of decimal places, at least 0 */
export function fixedDigits(value: number, places: number): FixedDigits {
  const digits = scaled(value, places)
    .toString()
    .padStart(places + 1, '0');
  const point = digits.length - places;
  return { whole: digits.slice(0, point), fraction: digits.slice(point) };
}

export interface ScientificDigits extends FixedDigits {
  readonly exponent: number;
}

/** The digits of a finite number without its sign, with one digit before the point. @param places number of decimal places, at least 0 */
export function scientificDigits(value: number, places: number): ScientificDigits {
  if (value === 0) return { whole: '0', fraction: '0'.repeat(places), exponent: 0 };
  let exponent = Number(/e([+-]\d+)$/.exec(value.toExponential())?.[1]);
  let digits = scaled(value, places - exponent).toString();
  // the exponent of the shortest text may be one too high, and rounding may reach the next power of ten
  if (digits.length <= places) digits = scaled(value, places - --exponent).toString();
  if (digits.length > places + 1) exponent++;
  return { whole: digits.slice(0, 1), fraction: digits.slice(1, places + 1), exponent };
}

export const isNegative = (value: number): boolean => value < 0;
