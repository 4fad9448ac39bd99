/** Parses doubles as Go does. */

/** underscores may separate digits */
const DECIMAL = /^[+-]?(?:(?:\d+(?:_\d+)*\.?(?:(?<=\.)\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?)$/i;
/** an underscore may also follow `0x`; the exponent, a power of two, is required */
const HEXADECIMAL =
  /^([+-]?)0x(?:_?([\da-f]+(?:_[\da-f]+)*)\.?(?:(?<=\.)([\da-f]+(?:_[\da-f]+)*))?|\.([\da-f]+(?:_[\da-f]+)*))p([+-]?\d+(?:_\d+)*)$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** @returns undefined for an invalid text, and for a number that exceeds doubles */
export function parseDouble(text: string): number | undefined {
  if (DECIMAL.test(text)) return finite(Number(withoutMarks(text)));
  if (/^nan$/i.test(text)) return Number.NaN;
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const [, sign, whole = '', fraction, bareFraction = '', exponent = '0'] = HEXADECIMAL.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const digits = withoutMarks(fraction ?? bareFraction);
  const value = scaled(BigInt(`0x${withoutMarks(whole)}${digits}`), Number(withoutMarks(exponent)) - 4 * digits.length);
  return finite(sign === '-' ? -value : value);
}

const withoutMarks = (digits: string): string => digits.replaceAll('_', '');
const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** The exponents of the lowest and the highest bit of doubles, and the number of their bits. */
const LEAST_BIT = -1074;
const GREATEST_BIT = 1023;
const BITS = 53;

/** The double nearest to `mantissa * 2 ** exponent`; ties go to the even one. */
function scaled(mantissa: bigint, exponent: number): number {
  const top = mantissa.toString(2).length + exponent;
  if (mantissa === 0n || top < LEAST_BIT) return 0;
  if (top > GREATEST_BIT + 1) return Number.POSITIVE_INFINITY;
  const unit = Math.max(top - BITS, LEAST_BIT);
  return Number(shifted(mantissa, unit - exponent)) * 2 ** unit;
}

/** @param places number of bits that are cut off and rounded; a negative number adds bits */
function shifted(mantissa: bigint, places: number): bigint {
  if (places <= 0) return mantissa << BigInt(-places);
  const kept = mantissa >> BigInt(places);
  const cut = mantissa - (kept << BigInt(places));
  const half = 1n << BigInt(places - 1);
  return cut > half || (cut === half && kept % 2n === 1n) ? kept + 1n : kept;
}
