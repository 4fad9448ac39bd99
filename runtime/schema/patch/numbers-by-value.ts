import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { int64Of, isRawNumber, numberOf, type RawNumber } from '../scalar/raw-number.ts';

/**
 * Strategic patches, and what is applied, have numbers that are read by value, as in 1.32: what is no integer of 64 bits is a double, and
 * written as one. So a number that is spelt like a fraction, such as `2.0` or `1e3`, is an integer if it is whole.
 * @param value parsed JSON; not changed
 * @param beyond says what becomes of a number that is too large for a double; absent: nothing
 * @returns the same value if it has no such number
 */
export function withNumbersByValue(value: unknown, beyond: (number: RawNumber) => unknown = asItIs): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return elementsByValue(value, beyond);
  if (isRawNumber(value)) return byValue(value, beyond);
  return isObject(value) ? membersByValue(value, beyond) : value;
}

const asItIs = (number: RawNumber): unknown => number;

function membersByValue(object: JsonObject, beyond: (number: RawNumber) => unknown): JsonObject {
  let copy: JsonObject | undefined;
  for (const name of Object.keys(object)) {
    const before = object[name];
    const member = withNumbersByValue(before, beyond);
    if (member === before) continue;
    copy ??= { ...object };
    setMember(copy, name, member);
  }
  return copy ?? object;
}

function elementsByValue(elements: readonly unknown[], beyond: (number: RawNumber) => unknown): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < elements.length; index++) {
    const before = elements[index];
    const element = withNumbersByValue(before, beyond);
    if (element === before) continue;
    copy ??= [...elements];
    copy[index] = element;
  }
  return copy ?? elements;
}

function byValue(number: RawNumber, beyond: (number: RawNumber) => unknown): unknown {
  const text = number.rawJSON;
  if (int64Of(text) !== undefined) return number;
  const double = Number(text);
  return Number.isFinite(double) ? numberOf(String(double)) : beyond(number);
}
