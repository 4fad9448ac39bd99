/** Checks enumerated values. As in 1.32, values are compared by Go's conversion between their types. */
import { type FieldError, notSupported } from '../contract/field-error.ts';
import { deepEqual } from '../schema/equal.ts';
import { goJson } from '../schema/structural/go-json.ts';
import type { CustomSchema } from './custom-schema.ts';
import { heldNumber, isHeldInteger, nearestDouble, truncated } from './held-numbers.ts';
import { shown } from './shown-value.ts';

const NONE: readonly FieldError[] = [];

/** Null is never an enumerated value, even if the schema allows null. @returns undefined if the schema enumerates no values */
export function enumCheckOf({ enum: allowed }: CustomSchema): ((value: unknown, path: string) => readonly FieldError[]) | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  const texts = allowed.map((each) => (typeof each === 'string' ? each : goJson(each)));
  return (value, path) => {
    const isAllowed = value !== null && allowed.some((each) => deepEqual(each, value) || isAsConverted(value, each));
    return isAllowed ? NONE : [notSupported(path, shown(value), texts)];
  };
}

/**
 * Before a double is compared with an integer, its fraction is dropped. A text is compared with the character of an integer's code point.
 */
function isAsConverted(value: unknown, allowed: unknown): boolean {
  const held = heldNumber(value);
  if (held === undefined) return false;
  if (typeof allowed === 'string') return isHeldInteger(held) && characterOf(held.integer) === allowed;
  const other = heldNumber(allowed);
  if (other === undefined) return false;
  return isHeldInteger(other)
    ? (isHeldInteger(held) ? held.integer : truncated(held.double)) === other.integer
    : nearestDouble(held) === other.double;
}

function characterOf(code: number | bigint): string {
  const isCharacter = typeof code === 'number' && code >= 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}
