/** Checks of quantities in decoded objects, which are canonical texts. */

import { type FieldError, invalid, Notation } from '../../../contract/field-error.ts';
import type { RuleContext } from '../../../contract/kind-rules.ts';
import { amountNotNegative, positiveAmount } from '../../../formats/quantities.ts';
import { RESOURCE_QUANTITY } from '../../../go-diff/go-quantity.ts';
import { goSyntax } from '../../../go-diff/go-syntax.ts';
import { compareQuantities, integerValue, parseQuantity, type Quantity } from '../../../schema/scalar/quantity.ts';
import { joined, NONE } from '../../../validation/joined.ts';
import { invalidAs } from '../../findings.ts';
import { hugePageSize, isInteger } from './resource-names.ts';

/** Negative, zero or positive as `a` is smaller than, equal to or larger than `b`. */
export function compare(a: string, b: string): number {
  return compareQuantities(parseQuantity(a), parseQuantity(b));
}

/** Negative, zero or positive as the quantity is. */
export function signOf(text: string): number {
  const { unscaled } = parseQuantity(text);
  return unscaled === 0n ? 0 : unscaled < 0n ? -1 : 1;
}

/** As a double, for ratios. */
export function approximately(text: string): number {
  const { unscaled, exponent } = parseQuantity(text);
  return Number(unscaled) * 10 ** exponent;
}

/** The value as an integer, rounded away from zero. */
export function roundedValue(text: string): bigint {
  const quantity = parseQuantity(text);
  const exact = integerValue(quantity);
  if (exact !== undefined) return exact;
  const divisor = 10n ** BigInt(-quantity.exponent);
  return quantity.unscaled / divisor + (quantity.unscaled < 0n ? -1n : 1n);
}

export function isWhole(text: string): boolean {
  return integerValue(parseQuantity(text)) !== undefined;
}

export function validatePositive(text: string, path: string): readonly FieldError[] {
  return invalidAs(positiveAmount(text), path, text);
}

/** Of a resource whose kind of value is not known: it must not be negative. */
export function resourceAmount(text: string): readonly FieldError[] {
  return signOf(text) < 0 ? [invalid('', Number(roundedValue(text)), 'must be a valid resource quantity')] : NONE;
}

/** @param resource its name says whether the quantity counts things */
export function validateQuantity(resource: string, text: string, path: string, context: RuleContext): readonly FieldError[] {
  return joined(
    invalidAs(amountNotNegative(text), path, text),
    isInteger(resource, context) && !isWhole(text)
      ? [invalid(path, new Notation(goSyntax(RESOURCE_QUANTITY, text)), 'must be an integer')]
      : NONE,
  );
}

/** Of a resource `hugepages-<size>`: memory comes in whole pages. */
export function validateWholePages(resource: string, text: string, path: string): readonly FieldError[] {
  const size = pageSize(resource);
  const whole = size !== undefined && roundedValue(text) % size === 0n;
  return whole ? NONE : [invalid(path, text, `${text} is not positive integer multiple of ${resource}`)];
}

function pageSize(resource: string): bigint | undefined {
  let size: Quantity;
  try {
    size = parseQuantity(hugePageSize(resource));
  } catch {
    return undefined;
  }
  return size.unscaled > 0n ? integerValue(size) : undefined;
}
