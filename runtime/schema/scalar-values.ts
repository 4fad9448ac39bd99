/** Decodes scalars of JSON to the one form that each value has in memory. Values that Go's decoder refuses are refused. */
import { writeJson } from '../contract/json-writer.ts';
import { Code } from './compile.ts';
import { canonicalBase64 } from './scalar/bytes.ts';
import { canonicalDuration } from './scalar/duration.ts';
import { canonicalQuantity } from './scalar/quantity.ts';
import { int64Of, integerOf, numberText } from './scalar/raw-number.ts';
import { jsonKind, mismatch } from './scalar/scalar-error.ts';
import { canonicalMicroTime, canonicalTime } from './scalar/time.ts';
import { untypedValue } from './untyped.ts';

const INT32_MIN = -(2 ** 31);
const INT32_MAX = 2 ** 31 - 1;

/**
 * @param code of a scalar
 * @param value not null
 * @throws ScalarError
 */
export function decodeScalar(code: number, value: unknown): unknown {
  switch (code) {
    case Code.string:
      return typeof value === 'string' ? value : wrong(value, 'string');
    case Code.boolean:
      return typeof value === 'boolean' ? value : wrong(value, 'bool');
    case Code.int32:
      return int32(value);
    case Code.int64:
      return int64(value);
    case Code.double:
      return double(value);
    case Code.bytes:
      return typeof value === 'string' ? canonicalBase64(value) : base64Of(value);
    case Code.time:
      return typeof value === 'string' ? canonicalTime(value) : wrong(value, 'string', true);
    case Code.microTime:
      return typeof value === 'string' ? canonicalMicroTime(value) : wrong(value, 'string', true);
    case Code.duration:
      return typeof value === 'string' ? canonicalDuration(value) : wrong(value, 'string', true);
    case Code.quantity:
      return canonicalQuantity(quantityText(value));
    case Code.intOrString:
      return typeof value === 'string' ? value : int32(value, true);
    case Code.json:
      return untypedValue(value);
    default:
      return value;
  }
}

/** The text from which 1.32 reads a quantity: a string, or the spelling of any other value. */
export function quantityText(value: unknown): string {
  return typeof value === 'string' ? value : (numberText(value) ?? writeJson(value));
}

/** Go also reads bytes from a list of numbers. */
function base64Of(value: unknown): string {
  if (!Array.isArray(value)) return wrong(value, '[]uint8');
  return Buffer.from(value.map((item) => byte(item ?? 0))).toString('base64');
}

function byte(value: unknown): number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255 ? (value as number) : wrongNumber(value, 'uint8');
}

function int32(value: unknown, stops = false): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX) return value;
  return wrongNumber(value, 'int32', stops);
}

function int64(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const text = numberText(value);
  const integer = text === undefined ? undefined : int64Of(text);
  return integer === undefined ? wrongNumber(value, 'int64') : integerOf(integer);
}

function double(value: unknown): number {
  const number = typeof value === 'number' ? value : Number(numberText(value) ?? Number.NaN);
  return Number.isFinite(number) ? number : wrongNumber(value, 'float64');
}

function wrongNumber(value: unknown, wanted: string, stops = false): never {
  const text = numberText(value);
  throw mismatch(text === undefined ? jsonKind(value) : `number ${text}`, wanted, stops);
}

function wrong(value: unknown, wanted: string, stops = false): never {
  throw mismatch(jsonKind(value), wanted, stops);
}
