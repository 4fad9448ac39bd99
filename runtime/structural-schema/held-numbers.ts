/** Numbers as 1.32 holds them: integers of 64 bits, and doubles. What it says of a number depends on which it is. */
import { goFloat } from '../schema/scalar/go-float.ts';
import { int64Of, isRawNumber } from '../schema/scalar/raw-number.ts';

/** An integer of 64 bits, of which those beyond 2^53 are bigints. */
export interface HeldInteger {
  readonly integer: number | bigint;
}

export interface HeldDouble {
  readonly double: number;
}

export type HeldNumber = HeldInteger | HeldDouble;

export const isHeldInteger = (held: HeldNumber): held is HeldInteger => 'integer' in held;

/** @returns undefined for what is no number */
export function heldNumber(value: unknown): HeldNumber | undefined {
  if (isRawNumber(value)) {
    const integer = int64Of(value.rawJSON);
    return integer === undefined ? { double: Number(value.rawJSON) } : { integer };
  }
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) ? { integer: value } : { double: value };
}

export const heldText = (held: HeldNumber): string => (isHeldInteger(held) ? String(held.integer) : goFloat(held.double));

/** The double that a number is nearest to. */
export const nearestDouble = (held: HeldNumber): number => (isHeldInteger(held) ? Number(held.integer) : held.double);

const SMALLEST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

/** What Go's conversion to an integer of 64 bits makes of a double: it has no fraction, and the smallest of all stands for what does not fit. */
export function truncated(double: number): number | bigint {
  const whole = Math.trunc(double);
  if (Number.isSafeInteger(whole)) return whole + 0;
  if (!Number.isFinite(whole)) return SMALLEST;
  const integer = BigInt(whole);
  return integer < SMALLEST || integer > GREATEST ? SMALLEST : integer;
}

const EPSILON = 1e-9;

/** Whether a double counts as whole where 1.32 wants an integer or a multiple: nearly whole is enough, and 2^53 and more is too much. */
export function isNearlyWhole(double: number): boolean {
  if (!(Math.abs(double) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(double);
  if (double === whole) return true;
  // below zero, Go's conversion to an integer without sign wraps around
  if (whole === 0 || double < 0) return false;
  return (double - whole) / (double + whole) < EPSILON;
}
