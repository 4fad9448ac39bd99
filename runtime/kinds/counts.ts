/** Checks of numbers that count something, worded as in release 1.32; an absent number is 0. */
import { type FieldError, invalid } from '../contract/field-error.ts';
import { numeric } from '../schema/raw-number.ts';
import { notNegative } from './core/numbers.ts';
import type { Struct } from './struct.ts';

/** @param members checked in this order */
export function allNonNegative(struct: Struct, path: string, members: readonly string[]): FieldError[] {
  return members.flatMap((member) => notNegative(struct[member], `${path}.${member}`));
}

/** @param members none of them may be greater than `limit` */
export function atMost(struct: Struct, path: string, members: readonly string[], limit: number | undefined, detail: string): FieldError[] {
  return members
    .filter((member) => numeric(struct[member]) > numeric(limit))
    .map((member) => invalid(`${path}.${member}`, struct[member] ?? 0, detail));
}

/** Of a counter that only grows: it may begin at any time, and neither fall nor go. */
export function notDecremented(value: unknown, old: unknown, path: string): FieldError[] {
  return old !== undefined && (value === undefined || numeric(value) < numeric(old))
    ? [invalid(path, value ?? 0, 'cannot be decremented')]
    : [];
}
