import { isObject, type JsonObject, setMember } from '../json/member.ts';
import { isRawNumber } from '../scalar/raw-number.ts';

/**
 * Strategic patches read numbers by value, as in 1.32: a number that is spelt like a fraction, such as `2.0` or `1e3`, is an integer if it
 * is whole.
 * @param value parsed JSON; not changed
 * @returns the same value if it has no such number
 */
export function withWholeNumbers(value: unknown): unknown {
  if (isRawNumber(value)) return wholeNumber(value.rawJSON) ?? value;
  if (Array.isArray(value)) return elementsWithWholeNumbers(value);
  if (!isObject(value)) return value;
  let copy: JsonObject | undefined;
  for (const name of Object.keys(value)) {
    const member = withWholeNumbers(value[name]);
    if (member === value[name]) continue;
    copy ??= { ...value };
    setMember(copy, name, member);
  }
  return copy ?? value;
}

function elementsWithWholeNumbers(elements: readonly unknown[]): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, before] of elements.entries()) {
    const element = withWholeNumbers(before);
    if (element === before) continue;
    copy ??= [...elements];
    copy[index] = element;
  }
  return copy ?? elements;
}

function wholeNumber(text: string): number | undefined {
  const number = Number(text);
  return /[.eE]/.test(text) && Number.isSafeInteger(number) ? number : undefined;
}
