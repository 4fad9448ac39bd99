/**
 * `format` of the strings extension up to version 3, which is that of 1.32. `%f` and `%e` write numbers for the locale en-US, with commas
 * between thousands and superscript powers of ten, and `%s` writes lists and maps as expressions.
 */

import { goQuote } from '../../../go-text/quote.ts';
import { goFloat } from '../../../schema/scalar/go-float.ts';
import { typeNameOf } from '../../values/describe.ts';
import { compareTexts } from '../../values/equality.ts';
import { durationText, timestampText } from '../../values/texts-of-time.ts';
import { Duration, ErrorValue, ListValue, MapValue, StructValue, Timestamp, TypeValue, Uint, type Value } from '../../values/value.ts';
import { fixedDigits, isNegative, scientificDigits } from './decimals.ts';
import { wrongType } from './format-errors.ts';
import { type Clause, type Count, FormatFailure } from './format-text.ts';
import { binaryText, hexText, octalText } from './integer-texts.ts';

const PLACES = 6;
/** The most decimal places that any double has. */
const MOST_PLACES = 1_074;

/** @param count counts the characters of parts of lists and maps before they are joined; it may throw */
export function renderClause({ verb, precision }: Clause, value: Value, count: Count): string {
  switch (verb) {
    case 's':
      return new Writer(count).text(value);
    case 'd':
      return decimalText(value);
    case 'f':
      return fixedText(numberOf('f', value), precision ?? PLACES);
    case 'e':
      return scientificText(numberOf('e', value), precision ?? PLACES);
    case 'b':
      return binaryText(value) ?? refuse('b', value);
    case 'o':
      return octalText(value) ?? refuse('o', value);
    default:
      return hexText(value, verb === 'X') ?? refuse(verb, value);
  }
}

function refuse(verb: Clause['verb'], value: Value): never {
  throw new FormatFailure(wrongType(1, verb, typeNameOf(value)));
}

function decimalText(value: Value): string {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Uint ? value.value.toString() : refuse('d', value);
}

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function numberOf(verb: 'f' | 'e', value: Value): number {
  if (typeof value === 'number') return value;
  const special = typeof value === 'string' && Object.hasOwn(SPECIAL, value) ? SPECIAL[value] : undefined;
  return special ?? refuse(verb, value);
}

const sign = (value: number): string => (isNegative(value) ? '-' : '');
const infinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : `${sign(value)}∞`);
const grouped = (digits: string): string => digits.replace(/\B(?=(?:\d{3})+$)/g, ',');

/** 1.32 holds the minimum of decimal places in a byte, so that zeros at the end of a longer fraction are dropped. */
function fixedText(value: number, places: number): string {
  if (!Number.isFinite(value)) return infinite(value);
  const { whole, fraction } = fixedDigits(value, Math.min(places, MOST_PLACES));
  const digits = fraction.replace(/0+$/, '').padEnd(places & 0xff, '0');
  return `${sign(value)}${grouped(whole)}${digits === '' ? '' : `.${digits}`}`;
}

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const superscript = (exponent: number): string =>
  `${exponent < 0 ? '⁻' : ''}${[...String(Math.abs(exponent)).padStart(2, '0')].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`;

/** 1.32 uses the precision of `%e` as a width. */
function scientificText(value: number, width: number): string {
  if (!Number.isFinite(value)) return infinite(value).padStart(width);
  const { whole, fraction, exponent } = scientificDigits(value, PLACES);
  return `${sign(value)}${whole}.${fraction}\u202f×\u202f10${superscript(exponent)}`.padStart(width);
}

const failed = (problem: string): FormatFailure => new FormatFailure(`error during formatting: ${problem}`);

function bytesText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failed('could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string');
  }
}

function itemNumber(value: number): string {
  if (!Number.isFinite(value)) return `"${goFloat(value)}"`;
  const { whole, fraction } = fixedDigits(value, PLACES);
  return `${isNegative(value) || Object.is(value, -0) ? '-' : ''}${whole}.${fraction}`;
}

/** Writes values as `%s` does. */
class Writer {
  readonly #count: Count;
  constructor(count: Count) {
    this.#count = count;
  }

  text(value: Value): string {
    if (value instanceof Timestamp) return timestampText(value);
    if (value instanceof Duration) return durationText(value);
    if (typeof value === 'number') return goFloat(value);
    return this.#simple(value) ?? refuse('s', value);
  }

  /** The form that a value has both alone and within a list; undefined for other types. */
  #simple(value: Value): string | undefined {
    if (typeof value === 'string') return value;
    if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
    if (value === null) return 'null';
    if (value instanceof Uint) return value.value.toString();
    if (value instanceof Uint8Array) return bytesText(value);
    if (value instanceof TypeValue) return value.name;
    if (value instanceof ListValue) return `[${[...value].map((item) => this.#item(item)).join(', ')}]`;
    if (value instanceof MapValue) return this.#map(value.keys(), (key) => value.find(key) as Value);
    if (value instanceof StructValue) return this.#map(value.fields(), (field) => value.get(field as string));
    return undefined;
  }

  /** Writes a value within a list or a map. */
  #item(value: Value): string {
    const text = this.#itemText(value);
    this.#count(text.length);
    return text;
  }

  #itemText(value: Value): string {
    if (value instanceof ErrorValue) throw failed(value.message);
    if (typeof value === 'string') return goQuote(value);
    if (value instanceof Uint8Array) return `b${goQuote(bytesText(value))}`;
    if (value instanceof Timestamp) return `timestamp(${goQuote(timestampText(value))})`;
    if (value instanceof Duration) return `duration(${goQuote(durationText(value))})`;
    if (typeof value === 'number') return itemNumber(value);
    const text = this.#simple(value);
    if (text === undefined) throw failed(`no formatting function for ${typeNameOf(value)}`);
    return text;
  }

  #map(keys: Iterable<Value>, find: (key: Value) => Value): string {
    const entries = Array.from(keys, (key) => [this.#key(key), this.#item(find(key))] as const);
    return `{${entries
      .sort(([a], [b]) => compareTexts(a, b))
      .map(([key, value]) => `${key}:${value}`)
      .join(', ')}}`;
  }

  #key(key: Value): string {
    if (typeof key !== 'string' && typeof key !== 'boolean' && typeof key !== 'bigint' && !(key instanceof Uint))
      throw failed(`no formatting function for map key of type ${typeNameOf(key)}`);
    return this.#item(key);
  }
}
