/** JSON values in Go syntax, as messages of 1.32 show them. */
import { goQuote } from '../../contract/go-quote.ts';
import { compareUtf8, isObject } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { int64Of, isRawNumber, type RawNumber } from '../scalar/raw-number.ts';

/** The text of an invalid value in a message: scalars as they are, others with their types, such as `map[string]interface {}{"a":1}`. */
export function shownValue(value: unknown): string {
  return value === null ? '"null"' : goSyntax(value);
}

/** The text of a parsed JSON value in Go syntax. */
export function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value);
  if (isRawNumber(value) || typeof value === 'number') return goNumber(value);
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort(compareUtf8)
    .map((name) => `${goQuote(name)}:${goSyntax(value[name])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}

function goNumber(value: number | RawNumber): string {
  if (isRawNumber(value)) return int64Of(value.rawJSON)?.toString() ?? goFloat(Number(value.rawJSON));
  return Number.isSafeInteger(value) ? String(value) : goFloat(value);
}
