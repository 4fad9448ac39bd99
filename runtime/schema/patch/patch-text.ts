/** How errors of 1.32 show a patch that does not fit. */
import { isObject, type JsonObject, sortedNames } from '../member.ts';
import { isRawNumber, numberText, untypedNumber } from '../scalar/raw-number.ts';

/** A parsed patch as Go prints its maps and lists, such as `map[spec:map[ports:[<nil> 80] x:1.5]]`. */
export function mapText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'number' || isRawNumber(value)) return goNumberText(value);
  if (Array.isArray(value)) return `[${value.map(mapText).join(' ')}]`;
  if (!isObject(value)) return String(value);
  const names = sortedNames(Object.keys(value));
  return `map[${names.map((name) => `${name}:${mapText(value[name])}`).join(' ')}]`;
}

/** Doubles of a million and more, and below a ten-thousandth, have an exponent of at least two digits. */
function goNumberText(value: unknown): string {
  const number = isRawNumber(value) ? untypedNumber(value) : (value as number);
  const isDouble = !isRawNumber(number) && (isRawNumber(value) || !Number.isInteger(number));
  if (!isDouble) return numberText(number) as string;
  const [digits, exponent] = (number as number).toExponential().split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(number);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/**
 * The JSON text of what a patch made of a document: objects that it has touched have their members by name, others as they were.
 * @param value shares what the patch has left alone with the document
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
