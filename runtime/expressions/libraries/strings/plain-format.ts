/** `format` of the strings extension from version 4 on: numbers are written as Go does, in no locale, and nothing is quoted. */
import { typeNameOf } from '../../values/describe.ts';
import { compareTexts } from '../../values/equality.ts';
import { durationText, timestampText } from '../../values/texts-of-time.ts';
import { Duration, ErrorValue, ListValue, MapValue, Timestamp, TypeValue, Uint, type Value } from '../../values/value.ts';
import { fixedDigits, scientificDigits } from './decimals.ts';
import { wrongType } from './format-errors.ts';
import { type Clause, type Count, FormatFailure } from './format-text.ts';
import { binaryText, hexText, octalText } from './integer-texts.ts';

const PLACES = 6;
/** A higher precision is refused. */
const MAX_PLACES = 1_000;

/** @param count counts the characters of parts of lists and maps before they are joined; it may throw */
export function renderPlainClause({ verb, precision = PLACES }: Clause, value: Value, count: Count): string {
  if (precision > MAX_PLACES)
    throw new FormatFailure(
      `could not parse formatting clause: error while parsing precision: precision ${precision} exceeds maximum allowed precision ${MAX_PLACES}`,
    );
  switch (verb) {
    case 's':
      return new Writer(count).text(value);
    case 'd':
      return numberText(value) ?? refuse('d', value);
    case 'f':
    case 'e':
      return preciseText(verb, precision, value);
    case 'b':
      return binaryText(value) ?? refuse('b', value);
    case 'o':
      return octalText(value) ?? refuse('o', value);
    default:
      return hexText(value, verb === 'X') ?? refuse(verb, value);
  }
}

function refuse(verb: Clause['verb'], value: Value): never {
  throw new FormatFailure(wrongType(4, verb, typeNameOf(value)));
}

const sign = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '');
const infinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : `${sign(value)}Infinity`);

function preciseText(verb: 'f' | 'e', places: number, value: Value): string {
  const number = typeof value === 'number' ? value : typeof value === 'bigint' ? Number(value) : uintNumber(verb, value);
  if (!Number.isFinite(number)) return infinite(number);
  if (verb === 'f') return sign(number) + digitsText(fixedDigits(number, places));
  const digits = scientificDigits(number, places);
  const power = String(Math.abs(digits.exponent)).padStart(2, '0');
  return `${sign(number)}${digitsText(digits)}e${digits.exponent < 0 ? '-' : '+'}${power}`;
}

const uintNumber = (verb: 'f' | 'e', value: Value): number => (value instanceof Uint ? Number(value.value) : refuse(verb, value));
const digitsText = ({ whole, fraction }: { whole: string; fraction: string }): string => (fraction === '' ? whole : `${whole}.${fraction}`);

function numberText(value: Value): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint) return value.value.toString();
  return typeof value === 'number' ? plainDouble(value) : undefined;
}

/** Writes a double without an exponent. */
function plainDouble(value: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  const [, minus = '', whole = '', fraction = '', exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value)) ?? [];
  if (exponent === undefined) return Object.is(value, -0) ? '-0' : String(value);
  const point = Number(exponent) + whole.length;
  const digits = whole + fraction;
  if (point <= 0) return `${minus}0.${'0'.repeat(-point)}${digits}`;
  return minus + digits.padEnd(point, '0');
}

/** Writes values as `%s` does. */
class Writer {
  readonly #count: Count;
  constructor(count: Count) {
    this.#count = count;
  }

  text(value: Value): string {
    const number = numberText(value);
    if (number !== undefined) return number;
    if (value instanceof ErrorValue) throw new FormatFailure(`error during formatting: ${value.message}`);
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean') return String(value);
    if (value === null) return 'null';
    if (value instanceof Uint8Array) return Buffer.from(value).toString();
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (value instanceof TypeValue) return value.name;
    if (value instanceof ListValue) return `[${[...value].map((item) => this.#item(item)).join(', ')}]`;
    return value instanceof MapValue ? this.#map(value) : refuse('s', value);
  }

  #item(value: Value): string {
    const text = this.text(value);
    this.#count(text.length);
    return text;
  }

  #map(map: MapValue): string {
    const entries = [...map.keys()].map((key) => [this.#item(key), this.#item(map.find(key) as Value)] as const);
    return `{${entries
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')}}`;
  }
}
