/** JSON values in Go syntax, as messages of 1.32 show them. */
import { goQuote } from '../../contract/go-quote.ts';
import { type ValueForm, writeLevels } from '../../contract/json-writer.ts';
import { sortNames } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { int64Of, isRawNumber, type RawNumber } from '../scalar/raw-number.ts';

/** The text of an invalid value in a message: scalars as they are, others with their types, such as `map[string]interface {}{"a":1}`. */
export function shownValue(value: unknown): string {
  return value === null ? '"null"' : goSyntax(value);
}

/** The text of a parsed JSON value in Go syntax. */
export const goSyntax = (value: unknown): string => writeLevels(value, FORM);

const FORM: ValueForm = {
  indent: 0,
  list: ['[]interface {}{', '}'],
  object: ['map[string]interface {}{', '}'],
  colon: ':',
  comma: ', ',
  inOrder: sortNames,
  leaf: (value) => {
    if (value === null) return 'interface {}(nil)';
    if (typeof value === 'string') return goQuote(value);
    return isRawNumber(value) || typeof value === 'number' ? goNumber(value) : String(value);
  },
};

function goNumber(value: number | RawNumber): string {
  if (isRawNumber(value)) return int64Of(value.rawJSON)?.toString() ?? goFloat(Number(value.rawJSON));
  return Number.isSafeInteger(value) ? String(value) : goFloat(value);
}
