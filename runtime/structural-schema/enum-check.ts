/** Values that a schema enumerates, as 1.32 compares them: by Go's conversion between their types. */
import { type FieldError, notSupported } from '../contract/field-error.ts';
import { deepEqual } from '../schema/equal.ts';
import { goJson } from '../schema/structural/go-json.ts';
import type { CustomSchema } from './custom-schema.ts';
import { heldNumber, isHeldInteger, nearestDouble, truncated } from './held-numbers.ts';
import { shown } from './shown-value.ts';

const NONE: readonly FieldError[] = [];

/** Null is none of the values, whether it is allowed otherwise or not. @returns undefined where all values are allowed */
export function enumCheckOf({ enum: allowed }: CustomSchema): ((value: unknown, path: string) => readonly FieldError[]) | undefined {
  if (allowed === undefined || allowed.length === 0) return undefined;
  const texts = allowed.map((each) => (typeof each === 'string' ? each : goJson(each)));
  return (value, path) => {
    const isAllowed = value !== null && allowed.some((each) => deepEqual(each, value) || isAsConverted(value, each));
    return isAllowed ? NONE : [notSupported(path, shown(value), texts)];
  };
}

/** A fraction is dropped before a double is compared with an integer, and a text is compared with the character that an integer stands for. */
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
