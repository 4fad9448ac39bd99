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

export const ESCAPED_CHARACTERS: readonly string[] = Object.keys(ESCAPED);

/** @param json a whole document or a part of one, which says the same afterwards: such characters stand in texts and names alone */
export const escapedAsInGo = (json: string): string => json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPED[character] as string);

const textOf = (text: string): string => escapedAsInGo(JSON.stringify(text));

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
