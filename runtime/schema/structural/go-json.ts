/** Writes JSON as Go does: members sorted by name, numbers by value, and characters escaped that have a meaning in HTML. */
import { compareUtf8, isObject } from '../json/member.ts';
import { isRawNumber, numberText, untypedNumber } from '../scalar/raw-number.ts';

const ESCAPED: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

const textOf = (text: string): string => JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (character) => ESCAPED[character] as string);

export function goJson(value: unknown): string {
  if (typeof value === 'string') return textOf(value);
  if (isRawNumber(value)) {
    const number = untypedNumber(value);
    return Object.is(number, -0) ? '-0' : (numberText(number) as string);
  }
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort(compareUtf8);
  return `{${members.map((name) => `${textOf(name)}:${goJson(value[name])}`).join(',')}}`;
}
