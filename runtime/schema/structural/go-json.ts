/** Writes JSON as Go does: members sorted by name, numbers by value, and characters escaped that have a meaning in HTML. */
import { ON_ONE_LINE, writeLevels } from '../../contract/json-writer.ts';
import { sortNames } from '../json/member.ts';
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

const textOf = (text: unknown): string => escapedAsInGo(JSON.stringify(text));

const leafOf = (value: unknown): string => {
  if (typeof value === 'string') return textOf(value);
  if (!isRawNumber(value)) return JSON.stringify(value);
  const number = untypedNumber(value);
  return Object.is(number, -0) ? '-0' : (numberText(number) as string);
};

/** Numbers are written by their value. */
export const goJson = (value: unknown): string => writeLevels(value, { ...ON_ONE_LINE, inOrder: sortNames, leaf: leafOf });

/** Numbers keep their digits. */
export const goText = (value: unknown): string => writeLevels(value, { ...ON_ONE_LINE, inOrder: sortNames, leaf: textOf });
