/** Amounts of resources by their names, which are added and compared as quantities. */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  integerValue,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from './quantity.ts';

export type Amounts = ReadonlyMap<string, Quantity>;

export const NO_AMOUNTS: Amounts = new Map();

export const integer = (value: number | bigint): Quantity => ({ unscaled: BigInt(value), exponent: 0, format: 'decimalSI' });

export const ONE = integer(1);
const ZERO = integer(0);

/** Rounds a quantity to an integer, away from zero. */
export function wholeQuantity(quantity: Quantity): Quantity {
  if (integerValue(quantity) !== undefined) return quantity;
  const { unscaled, exponent, format } = quantity;
  const rounded = unscaled / 10n ** BigInt(-exponent);
  return { unscaled: unscaled < 0n ? rounded - 1n : rounded + 1n, exponent: 0, format };
}

export const isNegative = ({ unscaled }: Quantity): boolean => unscaled < 0n;

/** @returns a - b, which may be negative */
export function difference(a: Quantity, b: Quantity): Quantity {
  return addQuantities(a, negateQuantity(b));
}

export function times({ unscaled, exponent, format }: Quantity, count: number): Quantity {
  return { unscaled: unscaled * BigInt(count), exponent, format };
}

/** @param list quantities by resource name, such as `{ cpu: '100m' }` */
export function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return list === undefined ? NO_AMOUNTS : new Map(Object.entries(list).map(([name, text]) => [name, parseQuantity(text)]));
}

export function sum(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, addQuantities);
}

/** The larger amount of each resource. */
export function largest(a: Amounts, b: Amounts): Amounts {
  return combined(a, b, (x, y) => (compareQuantities(x, y) >= 0 ? x : y));
}

/** @returns how much more `a` has of each of its resources than `b`, at least zero */
export function excess(a: Amounts, b: Amounts): Amounts {
  return new Map(
    [...a].map(([name, quantity]) => {
      const less = b.get(name);
      const more = less === undefined ? quantity : difference(quantity, less);
      return [name, more.unscaled > 0n ? more : ZERO];
    }),
  );
}

/** The amounts that a condition selects. */
export function only(amounts: Amounts, isWanted: (name: string, quantity: Quantity) => boolean): Amounts {
  return new Map([...amounts].filter(([name, quantity]) => isWanted(name, quantity)));
}

/** Whether both have the same resources in the same amounts. */
export function areEqual(a: Amounts, b: Amounts): boolean {
  if (a.size !== b.size) return false;
  for (const [name, quantity] of a) {
    const other = b.get(name);
    if (other === undefined || compareQuantities(quantity, other) !== 0) return false;
  }
  return true;
}

function combined(a: Amounts, b: Amounts, both: (x: Quantity, y: Quantity) => Quantity): Amounts {
  if (b.size === 0) return a;
  const result = new Map(a);
  for (const [name, quantity] of b) {
    const before = result.get(name);
    result.set(name, before === undefined ? quantity : both(before, quantity));
  }
  return result;
}

/** The text of a quantity for messages. */
export const amountText = (quantity: Quantity): string => formatQuantity(quantity);

/** The stored form, sorted by resource name. */
export function listOf(amounts: Amounts): Record<string, string> {
  return Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, quantity]) => [name, formatQuantity(quantity)]));
}
