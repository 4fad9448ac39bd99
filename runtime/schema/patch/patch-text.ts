/** How errors of 1.32 show a patch that does not fit. */
import { isObject, type JsonObject, sortedNames } from '../member.ts';
import { goFloat } from '../scalar/go-float.ts';
import { isRawNumber, numberText, untypedNumber } from '../scalar/raw-number.ts';

/**
 * A parsed patch as Go prints its maps and lists, such as `map[spec:map[ports:[<nil> 80] x:1.5]]`.
 * @param most characters that anybody is shown: more than these are not made of a patch of a million brackets
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
  const isDouble = !isRawNumber(number) && (isRawNumber(value) || !Number.isInteger(number));
  return isDouble ? goFloat(number as number) : (numberText(number) as string);
}

/**
 * The JSON text of what a patch made of a document: objects that it has touched have their members by name, others as they were.
 * @param value shares what the patch has left alone with the document
 * @param document undefined: nothing is as it was
 */
export function patchedText(value: unknown, document: unknown): string {
  return JSON.stringify(byName(value, document));
}

function byName(value: unknown, document: unknown): unknown {
  if (value === document) return value;
  if (Array.isArray(value)) return value.map((item) => byName(item, undefined));
  if (!isObject(value)) return value;
  const before: JsonObject = isObject(document) ? document : {};
  return Object.fromEntries(sortedNames(Object.keys(value)).map((name) => [name, byName(value[name], before[name])]));
}
