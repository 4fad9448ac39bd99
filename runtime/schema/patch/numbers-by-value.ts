import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { isRawNumber, numberOf, type RawNumber } from '../scalar/raw-number.ts';

/**
 * Strategic patches, and what is applied, have numbers that are read by value, as in 1.32: what is no integer of 64 bits is a double, and written as one. So a number that is spelt like a
 * fraction, such as `2.0` or `1e3`, is an integer if it is whole.
 * @param value parsed JSON; not changed
 * @returns the same value if it has no such number
 */
export function withNumbersByValue(value: unknown): unknown {
  if (isRawNumber(value)) return byValue(value);
  if (Array.isArray(value)) return elementsByValue(value);
  if (!isObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const member = withNumbersByValue(value[name]);
    if (member === value[name]) continue;
    copy ??= { ...value };
    setMember(copy, name, member);
  }
  return copy ?? value;
}

function elementsByValue(elements: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, before] of elements.entries()) {
    const element = withNumbersByValue(before);
    if (element === before) continue;
    copy ??= [...elements];
    copy[index] = element;
  }
  return copy ?? elements;
}

function byValue(number: RawNumber): number | RawNumber {
  const text = number.rawJSON;
  if (/^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)) return number;
  const double = Number(text);
  return Number.isFinite(double) ? numberOf(String(double)) : number;
}
