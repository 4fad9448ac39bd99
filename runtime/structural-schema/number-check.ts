/** Checks limits of numbers as 1.32 does: the fractions of limits are dropped for integers, and kept for doubles. */
import { type FieldError, invalid, Notation } from '../contract/field-error.ts';
import { goFloat } from '../schema/scalar/go-float.ts';
import { isRawNumber } from '../schema/scalar/raw-number.ts';
import type { CustomSchema } from './custom-schema.ts';
import { type HeldNumber, heldNumber, heldText, isHeldInteger, isNearlyWhole, truncated } from './held-numbers.ts';

const NONE: readonly FieldError[] = [];

/** @returns the errors of a number; none for other values */
export type NumberCheck = (value: unknown, path: string) => readonly FieldError[];

/** @returns undefined if the schema does not limit numbers */
export function numberCheckOf(schema: CustomSchema): NumberCheck | undefined {
  const { multipleOf, minimum, maximum, exclusiveMinimum = false, exclusiveMaximum = false } = schema;
  const limits = [
    ...(multipleOf === undefined ? [] : [multiples(asDouble(multipleOf))]),
    ...(minimum === undefined ? [] : [least(asDouble(minimum), exclusiveMinimum)]),
    ...(maximum === undefined ? [] : [most(asDouble(maximum), exclusiveMaximum)]),
  ];
  if (limits.length === 0) return undefined;
  return (value, path) => {
    const held = heldNumber(value);
    if (held === undefined) return NONE;
    let errors: FieldError[] | undefined;
    for (const limit of limits) {
      const error = limit(held, path);
      if (error !== undefined) errors = [...(errors ?? []), error];
    }
    return errors ?? NONE;
  };
}

/** Limits are doubles, whatever digits a definition has. */
const asDouble = (limit: unknown): number => (isRawNumber(limit) ? Number(limit.rawJSON) : (limit as number));

type Limit = (held: HeldNumber, path: string) => FieldError | undefined;

const wrong = (path: string, held: HeldNumber, detail: string): FieldError => invalid(path, new Notation(heldText(held)), detail);

function least(limit: number, isExclusive: boolean): Limit {
  const isBelow = (number: number | bigint, bound: number | bigint): boolean => (isExclusive ? number <= bound : number < bound);
  return comparison(limit, isBelow, `should be greater than ${isExclusive ? '' : 'or equal to '}`);
}

function most(limit: number, isExclusive: boolean): Limit {
  const isAbove = (number: number | bigint, bound: number | bigint): boolean => (isExclusive ? number >= bound : number > bound);
  return comparison(limit, isAbove, `should be less than ${isExclusive ? '' : 'or equal to '}`);
}

function comparison(double: number, isWrong: (number: number | bigint, bound: number | bigint) => boolean, rule: string): Limit {
  const integer = truncated(double);
  return (held, path) => {
    if (isHeldInteger(held)) return isWrong(held.integer, integer) ? wrong(path, held, `${path} in body ${rule}${integer}`) : undefined;
    return isWrong(held.double, double) ? wrong(path, held, `${path} in body ${rule}${goFloat(double)}`) : undefined;
  };
}

function multiples(double: number): Limit {
  const integer = truncated(double);
  const notPositive = (path: string, factor: string): FieldError =>
    invalid(path, new Notation(factor), `factor MultipleOf declared for ${path} must be positive: ${factor}`);
  return (held, path) => {
    const isWhole = isHeldInteger(held);
    const factor = isWhole ? String(integer) : goFloat(double);
    if ((isWhole ? integer : double) <= 0) return notPositive(path, factor);
    const isMultiple = isWhole
      ? isIntegerMultiple(held.integer, integer)
      : isNearlyWhole(double < 1 ? (1 / double) * held.double : held.double / double);
    return isMultiple ? undefined : wrong(path, held, `${path} in body should be a multiple of ${factor}`);
  };
}

function isIntegerMultiple(integer: number | bigint, factor: number | bigint): boolean {
  if (typeof integer === 'number' && typeof factor === 'number') return integer % factor === 0;
  return BigInt(integer) % BigInt(factor) === 0n;
}
