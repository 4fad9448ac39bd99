/** Numbers as 1.32 holds them: integers of 64 bits, or doubles. Its errors depend on which of them a number is. */
import { goFloat } from '../schema/scalar/go-float.ts';
import { int64Of, isRawNumber } from '../schema/scalar/raw-number.ts';

/** An integer of 64 bits, which is a bigint beyond 2^53. */
export interface HeldInteger {
  readonly integer: number | bigint;
}

export interface HeldDouble {
  readonly double: number;
}

export type HeldNumber = HeldInteger | HeldDouble;

export const isHeldInteger = (held: HeldNumber): held is HeldInteger => 'integer' in held;

/** @returns undefined if the value is no number */
export function heldNumber(value: unknown): HeldNumber | undefined {
  if (isRawNumber(value)) {
    const integer = int64Of(value.rawJSON);
    return integer === undefined ? { double: Number(value.rawJSON) } : { integer };
  }
  if (typeof value !== 'number') return undefined;
  return Number.isSafeInteger(value) ? { integer: value } : { double: value };
}

export const heldText = (held: HeldNumber): string => (isHeldInteger(held) ? String(held.integer) : goFloat(held.double));

/** The double that is nearest to a number. */
export const nearestDouble = (held: HeldNumber): number => (isHeldInteger(held) ? Number(held.integer) : held.double);

const SMALLEST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

/**
 * Converts a double to an integer of 64 bits as Go does on amd64: its fraction is dropped, and the smallest integer replaces numbers out of
 * range.
 */
export function truncated(double: number): number | bigint {
  const whole = Math.trunc(double);
  if (Number.isSafeInteger(whole)) return whole + 0;
  if (!Number.isFinite(whole)) return SMALLEST;
  const integer = BigInt(whole);
  return integer < SMALLEST || integer > GREATEST ? SMALLEST : integer;
}

/** How far from a whole number a double may be, as in 1.32. */
const EPSILON = 1e-9;

/** Whether 1.32 accepts a double as an integer or a multiple: a nearly whole number is enough, but it must be below 2^53. */
export function isNearlyWhole(double: number): boolean {
  if (!(Math.abs(double) <= Number.MAX_SAFE_INTEGER)) return false;
  const whole = Math.trunc(double);
  if (double === whole) return true;
  // below zero, Go's conversion to an unsigned integer wraps around
  if (double < 0) return false;
  return (double - whole) / (double + whole) < EPSILON;
}
