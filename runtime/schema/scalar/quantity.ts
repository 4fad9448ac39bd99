/**
 * Quantities: fixed-point numbers with a suffix, such as `100m`, `2Gi`, `1e3`.
 *
 * A quantity keeps its format, which is the family of its suffix: decimal (n u m k M G T P E, or none), binary (Ki Mi Gi Ti Pi Ei), or
 * decimal exponent (e3, E-3). Digits below a billionth are rounded up, away from zero. The canonical text has no fraction, the largest
 * possible suffix, and a decimal exponent that is a multiple of three. A binary quantity that is no multiple of 1024 is written as a
 * decimal one, and is one when it is read again; binary quantities are capped at 2^63-1. A decimal quantity beyond `E` is written with an
 * exponent, where 1.32 loses its size: it makes `1` of `1000E`.
 *
 * As in 1.32, a text that passes a quick check is kept as it was sent, although it may not be canonical: `00012`, `1.500`, `1E3`.
 */
import { parseInt64 } from './raw-number.ts';
import { malformed } from './scalar-error.ts';

export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent';

/** The value is `unscaled * 10^exponent`; `exponent` is at least -9. */
export interface Quantity {
  readonly unscaled: bigint;
  readonly exponent: number;
  readonly format: QuantityFormat;
  /** the text as it was sent, if it is kept */
  readonly text?: string;
}

const WRONG_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const WRONG_NUMBER = 'unable to parse numeric part of quantity';
const WRONG_SUFFIX = "unable to parse quantity's suffix";

const DECIMAL_SUFFIXES: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY_SUFFIXES: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_NAMES = new Map(Object.entries(DECIMAL_SUFFIXES).map(([name, exponent]) => [exponent, name]));
const BINARY_NAMES = ['', ...Object.keys(BINARY_SUFFIXES)];

const NANO = -9;
const MILLI = -3;
const MAX_BINARY = 2n ** 63n - 1n;
/** Larger exponents and longer numbers are refused: no resource has such an amount, and converting them would be slow. */
const MAX_EXPONENT = 1_000;

/** A text without digits, such as `m`, is zero. @throws ScalarError */
export function parseQuantity(text: string): Quantity {
  return parsed.get(text);
}

function parse(text: string): Quantity {
  const [all, sign, whole, fraction, suffix] = /^([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?|[-+])\d*|)$/.exec(text) ?? [];
  if (all === undefined || all === '') throw malformed(WRONG_FORMAT);
  const { base, exponent, format } = readSuffix(suffix as string);
  const digits = `${whole}${fraction ?? ''}`;
  const places = -(fraction ?? '').length;
  const isZero = /^0*$/.test(digits);
  // a text without digits is zero, except where 1.32 calculates with more than 64 bits
  if (digits === '' && (base === 2 ? exponent >= 50 : exponent < NANO)) throw malformed(WRONG_NUMBER);
  if (!isZero && (digits.length > MAX_EXPONENT || exponent > MAX_EXPONENT)) throw malformed(WRONG_NUMBER);
  if (isZero) return { unscaled: 0n, exponent: 0, format };
  const size =
    base === 2
      ? roundUp(BigInt(digits) << BigInt(exponent), places, NANO)
      : roundUp(BigInt(digits), Math.max(places + exponent, -2 * MAX_EXPONENT), NANO);
  const capped = format === 'binarySI' && compareScaled(size, { unscaled: MAX_BINARY, exponent: 0 }) > 0;
  const { unscaled, exponent: scale } = capped ? { unscaled: MAX_BINARY, exponent: 0 } : size;
  const quantity = { unscaled: sign === '-' ? -unscaled : unscaled, exponent: scale, format };
  const number = { whole: (whole as string).replace(/^0+/, '') || '0', fraction: fraction ?? '' };
  return looksCanonical(number, exponent, format) ? { ...quantity, text } : quantity;
}

/**
 * The quick check by which 1.32 keeps a text: it looks at the number of digits and at the last ones.
 * @param number without leading zeros
 */
function looksCanonical(number: { whole: string; fraction: string }, exponent: number, format: QuantityFormat): boolean {
  const { whole, fraction } = number;
  if (format === 'binarySI') return fraction === '' && whole.length + Math.trunc(exponent * 0.3) <= 14 && BigInt(whole) % 8n !== 0n;
  const [digits, scale] = [whole + fraction, exponent - fraction.length];
  return digits.length <= 18 && scale >= NANO && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0');
}

function readSuffix(suffix: string): { base: 2 | 10; exponent: number; format: QuantityFormat } {
  if (Object.hasOwn(DECIMAL_SUFFIXES, suffix)) return { base: 10, exponent: DECIMAL_SUFFIXES[suffix] as number, format: 'decimalSI' };
  if (Object.hasOwn(BINARY_SUFFIXES, suffix)) return { base: 2, exponent: BINARY_SUFFIXES[suffix] as number, format: 'binarySI' };
  const power = /^[eE]([-+]?\d+)$/.exec(suffix)?.[1];
  if (power === undefined) throw malformed(WRONG_SUFFIX);
  const read = parseInt64(power);
  if (read === undefined) throw malformed(WRONG_SUFFIX);
  return { base: 10, exponent: Number(BigInt.asIntN(32, read)), format: 'decimalExponent' };
}

interface Scaled {
  readonly unscaled: bigint;
  readonly exponent: number;
}

/** The value without digits below 10^limit, rounded away from zero. */
function roundUp(unscaled: bigint, exponent: number, limit: number): Scaled {
  if (exponent >= limit) return { unscaled, exponent };
  const divisor = 10n ** BigInt(limit - exponent);
  const quotient = unscaled / divisor;
  const up = unscaled % divisor === 0n ? 0n : unscaled < 0n ? -1n : 1n;
  return { unscaled: quotient + up, exponent: limit };
}

function compareScaled(a: Scaled, b: Scaled): number {
  if (a.exponent === b.exponent) return a.unscaled < b.unscaled ? -1 : a.unscaled > b.unscaled ? 1 : 0;
  const exponent = Math.min(a.exponent, b.exponent);
  const x = a.unscaled * 10n ** BigInt(a.exponent - exponent);
  const y = b.unscaled * 10n ** BigInt(b.exponent - exponent);
  return x < y ? -1 : x > y ? 1 : 0;
}

/** The text as it was sent if it is kept, else the canonical one. */
export function formatQuantity({ unscaled, exponent, format, text }: Quantity): string {
  if (text !== undefined) return text;
  if (unscaled === 0n) return '0';
  if (format !== 'binarySI') return formatDecimal(unscaled, exponent, format);
  const integer = integerValue({ unscaled, exponent });
  return integer !== undefined && integer % 1024n === 0n ? formatBinary(integer) : formatDecimal(unscaled, exponent, 'decimalSI');
}

function formatBinary(value: bigint): string {
  let number = value;
  let thousands = 0;
  while (number % 1024n === 0n && thousands < BINARY_NAMES.length - 1) {
    number /= 1024n;
    thousands++;
  }
  return `${number}${BINARY_NAMES[thousands]}`;
}

function formatDecimal(unscaled: bigint, exponent: number, format: QuantityFormat): string {
  let number = unscaled;
  let power = exponent;
  while (number % 10n === 0n) {
    number /= 10n;
    power++;
  }
  for (; power % 3 !== 0; power--) number *= 10n;
  const name = format === 'decimalSI' ? DECIMAL_NAMES.get(power) : undefined;
  return `${number}${name ?? (power === 0 ? '' : `e${power}`)}`;
}

/** The value as an integer; undefined if it has a fraction. */
export function integerValue({ unscaled, exponent }: Scaled): bigint | undefined {
  if (exponent === 0) return unscaled;
  if (exponent >= 0) return unscaled * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return unscaled % divisor === 0n ? unscaled / divisor : undefined;
}

/** @returns a negative number, zero or a positive one, if `a` is smaller than, equal to or larger than `b`; formats do not matter */
export function compareQuantities(a: Quantity, b: Quantity): number {
  return compareScaled(a, b);
}

/** @returns the sum in the format of `a`, or of `b` if `a` is zero */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exponent = Math.min(a.exponent, b.exponent);
  const unscaled = a.unscaled * 10n ** BigInt(a.exponent - exponent) + b.unscaled * 10n ** BigInt(b.exponent - exponent);
  return { unscaled, exponent, format: a.unscaled === 0n ? b.format : a.format };
}

export function negateQuantity(quantity: Quantity): Quantity {
  const { unscaled, exponent, format } = quantity;
  return { unscaled: -unscaled, exponent, format };
}

/** Rounds up to thousandths, as 1.32 does with resource lists when it sets defaults. */
export function roundUpToMilli(quantity: Quantity): Quantity {
  if (quantity.exponent >= MILLI) return quantity;
  return { ...roundUp(quantity.unscaled, quantity.exponent, MILLI), format: quantity.format };
}

/** Remembers results, because objects mostly have the same few texts. */
class Cache<T> {
  static readonly SIZE = 4_096;
  readonly #results = new Map<string, T>();
  readonly #compute: (text: string) => T;

  constructor(compute: (text: string) => T) {
    this.#compute = compute;
  }

  get(text: string): T {
    const known = this.#results.get(text);
    if (known !== undefined) return known;
    const result = this.#compute(text);
    if (this.#results.size >= Cache.SIZE) this.#results.clear();
    if (text.length <= 32) this.#results.set(text, result);
    return result;
  }
}

const parsed = new Cache(parse);
const canonical = new Cache((text) => formatQuantity(parseQuantity(text.trim())));
const canonicalMilli = new Cache((text) => formatQuantity(roundUpToMilli(parseQuantity(text.trim()))));

/** @throws ScalarError */
export function canonicalQuantity(text: string): string {
  return canonical.get(text);
}

/** Like `canonicalQuantity`, rounded up to thousandths. @throws ScalarError */
export function canonicalResourceQuantity(text: string): string {
  return canonicalMilli.get(text);
}
