/** Quantities such as `2Gi` as values of expressions. */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from '../../../schema/scalar/quantity.ts';
import { ScalarError } from '../../../schema/scalar/scalar-error.ts';
import { closedStruct } from '../../types/type.ts';
import { ErrorValue, OpaqueValue, type Value } from '../../values/value.ts';
import { MAX_INT, MIN_INT } from '../standard/ranges.ts';

export const QUANTITY = closedStruct('kubernetes.Quantity');

/**
 * An integer of 64 bits and its power of ten, the form in which 1.32 holds quantities if possible. A quantity in another form is no integer
 * for 1.32, even if it has no fraction.
 */
interface SmallAmount {
  readonly value: bigint;
  readonly scale: number;
}

export class QuantityValue extends OpaqueValue {
  readonly type = QUANTITY;
  readonly quantity: Quantity;
  readonly #small: SmallAmount | undefined;
  /** power of ten of the last digit, even if that is 0 */
  readonly #scale: number;
  readonly #isComputed: boolean;

  private constructor(quantity: Quantity, small: SmallAmount | undefined, scale: number, isComputed = false) {
    super();
    this.quantity = quantity;
    this.#small = small;
    this.#scale = scale;
    this.#isComputed = isComputed;
  }

  static parse(text: string): QuantityValue | ErrorValue {
    try {
      const quantity = parseQuantity(text);
      const small = smallAmount(text, quantity);
      // 1.32 rounds quantities that it holds as big decimals to nine decimal places
      return new QuantityValue(quantity, small, small?.scale ?? NANO);
    } catch (error) {
      if (error instanceof ScalarError) return new ErrorValue(error.message);
      throw error;
    }
  }

  static ofInteger(value: bigint): QuantityValue {
    return new QuantityValue({ unscaled: value, exponent: 0, format: 'decimalExponent' }, { value, scale: 0 }, 0);
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && this.compare(other) === 0;
  }

  /** 1.32 holds sums and differences in a form that it does not accept on the right side of an equality. */
  override isComparable(other: Value): boolean {
    return other instanceof QuantityValue && !other.#isComputed;
  }

  compare(other: QuantityValue): number {
    return compareQuantities(this.quantity, other.quantity);
  }

  plus(other: QuantityValue): QuantityValue {
    const small = smallSum(this.#small, other.#small);
    const scale = small?.scale ?? Math.min(this.#scale, other.#scale);
    return new QuantityValue(addQuantities(this.quantity, other.quantity), small, scale, true);
  }

  minus(other: QuantityValue): QuantityValue {
    const small = other.#small;
    const negative = new QuantityValue(negateQuantity(other.quantity), small && { value: -small.value, scale: small.scale }, other.#scale);
    return this.plus(negative);
  }

  /** @returns undefined if the quantity is no integer for 1.32 */
  integer(): bigint | undefined {
    if (this.#small === undefined || this.#small.scale < 0) return undefined;
    return scaledUp(this.#small.value, this.#small.scale);
  }

  approximate(): number {
    const { value, scale } = this.#small ?? this.#large();
    return scale === 0 ? Number(value) : Number(value) * powerOfTen(scale);
  }

  #large(): SmallAmount {
    const { unscaled, exponent } = this.quantity;
    const scale = Math.min(exponent, this.#scale);
    return { value: unscaled * 10n ** BigInt(exponent - scale), scale };
  }

  override toString(): string {
    return formatQuantity(this.quantity);
  }
}

const powerOfTen = (exponent: number): number => Number(`1e${exponent}`);

const isSmall = (value: bigint): boolean => value >= MIN_INT && value <= MAX_INT;

function scaledUp(value: bigint, scale: number): bigint | undefined {
  if (value === 0n) return 0n;
  const scaled = scale > 18 ? undefined : value * 10n ** BigInt(scale);
  return scaled !== undefined && isSmall(scaled) ? scaled : undefined;
}

/** @returns undefined if the sum does not fit */
function smallSum(a: SmallAmount | undefined, b: SmallAmount | undefined): SmallAmount | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (b.value === 0n) return a;
  if (a.value === 0n) return b;
  const scale = Math.min(a.scale, b.scale);
  const [x, y] = [scaledUp(a.value, a.scale - scale), scaledUp(b.value, b.scale - scale)];
  return x !== undefined && y !== undefined && isSmall(x + y) ? { value: x + y, scale } : undefined;
}

const NUMBER = /^[+-]?0*(\d*)(?:\.(\d*))?/;
const NANO = -9;
/** the most digits of a quantity in the small form */
const DECIMAL_DIGITS = 18;
const BINARY_DIGITS = 15;
const BINARY_EXPONENTS: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** The small form of a text, by the rule with which 1.32 decides that the text is short enough. */
function smallAmount(text: string, { format }: Quantity): SmallAmount | undefined {
  const [all = '', digits = '', fraction = ''] = NUMBER.exec(text) ?? [];
  const whole = digits === '' ? '0' : digits;
  const suffix = text.slice(all.length);
  const sign = text.startsWith('-') ? -1n : 1n;
  if (format === 'binarySI') {
    const exponent = BINARY_EXPONENTS[suffix] as number;
    if (fraction !== '' || BINARY_DIGITS - whole.length - Math.trunc(exponent * 0.3) - 1 < 0) return undefined;
    return { value: sign * (BigInt(whole) << BigInt(exponent)), scale: 0 };
  }
  const exponent = DECIMAL_EXPONENTS[suffix] ?? Number(suffix.slice(1));
  const scale = exponent - fraction.length;
  return whole.length + fraction.length > DECIMAL_DIGITS || scale < NANO ? undefined : { value: sign * BigInt(whole + fraction), scale };
}
