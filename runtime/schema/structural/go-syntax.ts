/** JSON values as 1.32 shows them in messages, in Go's own notation. */
import { isObject } from '../member.ts';
import { isRawNumber } from '../scalar/raw-number.ts';

/** What a message shows as a wrong value: scalars as they are, others with their types, such as `map[string]interface {}{"a":1}`. */
export function shownValue(value: unknown): string {
  return value === null ? '"null"' : goSyntax(value);
}

function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (isRawNumber(value)) return value.rawJSON;
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (!isObject(value)) return String(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`);
  return `map[string]interface {}{${members.join(', ')}}`;
}
