/** Values as Go shows them in errors about keys of YAML, such as `map[interface {}]interface {}{"a":1}`. */
import { goQuote } from '../../contract/go-quote.ts';
import type { JsonObject } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { isRawNumber, numeric } from '../scalar/raw-number.ts';

/** How many characters of a value are shown. */
const SHOWN = 1_000;

export function goSyntax(value: unknown): string {
  const shown = value === null ? '<nil>' : syntaxOf(value);
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN)}...` : shown;
}

function syntaxOf(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goQuote(value.slice(0, SHOWN));
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : goFloat(value);
  if (isRawNumber(value)) return Number.isInteger(numeric(value)) ? value.rawJSON : goFloat(numeric(value));
  if (Array.isArray(value)) return `[]interface {}{${value.slice(0, SHOWN).map(syntaxOf).join(', ')}}`;
  const map = value as JsonObject;
  const names = Object.keys(map).sort().slice(0, SHOWN);
  return `map[interface {}]interface {}{${names.map((name) => `${goQuote(name)}:${syntaxOf(map[name])}`).join(', ')}}`;
}
