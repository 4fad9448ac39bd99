import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { int64Of, isRawNumber, numberOf, type RawNumber } from '../scalar/raw-number.ts';

/**
 * Strategic patches, and what is applied, have numbers that are read by value, as in 1.32: what is no integer of 64 bits is a double, and
 * written as one. So a number that is spelt like a fraction, such as `2.0` or `1e3`, is an integer if it is whole.
 * @param value parsed JSON; not changed
 * @returns the same value if it has no such number
 */
export function withNumbersByValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return elementsByValue(value);
  if (isRawNumber(value)) return byValue(value);
  return isObject(value) ? membersByValue(value) : value;
}

function membersByValue(object: JsonObject): JsonObject {
  let copy: JsonObject | undefined;
  for (const name of Object.keys(object)) {
    const before = object[name];
    const member = withNumbersByValue(before);
    if (member === before) continue;
    copy ??= { ...object };
    setMember(copy, name, member);
  }
  return copy ?? object;
}

function elementsByValue(elements: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < elements.length; index++) {
    const before = elements[index];
    const element = withNumbersByValue(before);
    if (element === before) continue;
    copy ??= [...elements];
    copy[index] = element;
  }
  return copy ?? elements;
}

function byValue(number: RawNumber): number | RawNumber {
  const text = number.rawJSON;
  if (int64Of(text) !== undefined) return number;
  const double = Number(text);
  return Number.isFinite(double) ? numberOf(String(double)) : number;
}
