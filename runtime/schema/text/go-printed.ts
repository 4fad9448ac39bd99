/** Parsed JSON values as Go prints them, in errors of patches and applies. */
import { isObject, type JsonObject, sortedNames } from '../json/member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { isRawNumber, numberText, untypedNumber } from '../scalar/raw-number.ts';

/**
 * A parsed JSON value as Go prints maps and lists, such as `map[spec:map[ports:[<nil> 80] x:1.5]]`.
 * @param most limit of the characters that are shown; the text of a very long value stops soon after it
 */
export function mapText(value: unknown, most = Number.POSITIVE_INFINITY): string {
  let text = '';
  const write = (value: unknown): void => {
    if (value === null || value === undefined) text += '<nil>';
    else if (typeof value === 'number' || isRawNumber(value)) text += goNumberText(value);
    else if (Array.isArray(value)) writeList(value);
    else if (isObject(value)) writeMap(value);
    else text += String(value);
  };
  const writeList = (elements: readonly unknown[]): void => {
    text += '[';
    for (let i = 0; i < elements.length && text.length <= most; i++) {
      if (i > 0) text += ' ';
      write(elements[i]);
    }
    text += ']';
  };
  const writeMap = (members: JsonObject): void => {
    text += 'map[';
    let between = '';
    for (const name of sortedNames(Object.keys(members))) {
      text += `${between}${name}:`;
      between = ' ';
      write(members[name]);
      if (text.length > most) break;
    }
    text += ']';
  };
  write(value);
  return text;
}

function goNumberText(value: unknown): string {
  const number = isRawNumber(value) ? untypedNumber(value) : (value as number);
  return isDouble(value) ? goFloat(number as number) : (numberText(number) as string);
}

function isDouble(value: unknown): boolean {
  const number = isRawNumber(value) ? untypedNumber(value) : (value as number);
  return !isRawNumber(number) && (isRawNumber(value) || !Number.isInteger(number));
}

/** What Go prints where it expects a text, such as `%!s(int64=1)` for a number. */
export function asGoString(value: unknown): string {
  if (typeof value === 'string' || Array.isArray(value) || isObject(value)) return mapText(value);
  return value === null ? '%!s(<nil>)' : `%!s(${goTypeText(value)}=${mapText(value)})`;
}

/** The Go type of a parsed JSON value, as errors name it. */
export function goTypeText(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (isObject(value)) return 'map[string]interface {}';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : isDouble(value) ? 'float64' : 'int64';
}
