/** Conversions between types. */

import { goFloat } from '../../../schema/scalar/go-float.ts';
import type { FunctionDeclaration, Overload } from '../../environment/declarations.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  parameter,
  STRING,
  TIMESTAMP,
  type Type,
  typeName,
  typeOfType,
  UINT,
} from '../../types/type.ts';
import { typeNameOf } from '../../values/describe.ts';
import { durationText, parseDuration, parseTimestamp, timestampText } from '../../values/texts-of-time.ts';
import { type Duration, ErrorValue, type Timestamp, TypeValue, type Uint, type Value } from '../../values/value.ts';
import { traversalUnits } from './costs.ts';
import { parseDouble } from './double-text.ts';
import { bytesToText as bytesSize, textToBytes } from './estimates.ts';
import { int, SECOND, timestamp, uint } from './ranges.ts';

const A = parameter('A');

const noConversion = (from: Type, to: Type): ErrorValue =>
  new ErrorValue(`type conversion error from '${typeName(from)}' to '${typeName(to)}'`);
const of = (
  id: string,
  from: Type,
  to: Type,
  run: (value: never) => Value,
  charged: Pick<Overload, 'cost' | 'estimate'> = {},
): Overload => ({
  id,
  parameters: [from],
  result: to,
  run,
  ...charged,
});
const same = (name: string, type: Type): Overload => of(`${name}_to_${name}`, type, type, (value: Value) => value);

const INTEGER = /^[+-]?\d+$/;
const DIGITS = /^\d+$/;
/** A longer text is no integer of 64 bits, except for leading zeros, which are not counted separately. */
export const MAX_DIGITS = 1_000;

function whole(text: string, pattern: RegExp, to: Type, bounded: (value: bigint) => Value): Value {
  if (text.length > MAX_DIGITS || !pattern.test(text)) return noConversion(STRING, to);
  const value = bounded(BigInt(text.replace(/^\+/, '')));
  return value instanceof ErrorValue ? noConversion(STRING, to) : value;
}

/** The integer part of a double. */
function truncated(value: number, bounded: (value: bigint) => Value, overflow: string): Value {
  return Number.isFinite(value) ? bounded(BigInt(Math.trunc(value))) : new ErrorValue(overflow);
}

/** Doubles at both ends of the range of int are refused, because the exact number may be outside of it. */
function doubleToInt(value: number): Value {
  if (Math.abs(value) >= 2 ** 63) return new ErrorValue('integer overflow');
  return truncated(value, int, 'integer overflow');
}

function doubleToUint(value: number): Value {
  return value < 0 ? new ErrorValue('unsigned integer overflow') : truncated(value, uint, 'unsigned integer overflow');
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false])),
};

function bytesToText(bytes: Uint8Array): Value {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return new ErrorValue('invalid UTF-8 in bytes, cannot convert to string');
  }
}

export const conversions: readonly FunctionDeclaration[] = [
  {
    name: 'bool',
    overloads: [
      same('bool', BOOL),
      of('string_to_bool', STRING, BOOL, (text: string) =>
        Object.hasOwn(BOOLEANS, text) ? (BOOLEANS[text] as boolean) : noConversion(STRING, BOOL),
      ),
    ],
  },
  {
    name: 'bytes',
    overloads: [
      same('bytes', BYTES),
      of('string_to_bytes', STRING, BYTES, (text: string) => Buffer.from(text), { cost: traversalUnits, estimate: textToBytes }),
    ],
  },
  {
    name: 'double',
    overloads: [
      same('double', DOUBLE),
      of('int64_to_double', INT, DOUBLE, (value: bigint) => Number(value)),
      of('string_to_double', STRING, DOUBLE, (text: string) => parseDouble(text) ?? noConversion(STRING, DOUBLE)),
      of('uint64_to_double', UINT, DOUBLE, (value: Uint) => Number(value.value)),
    ],
  },
  {
    name: 'duration',
    overloads: [
      same('duration', DURATION),
      // CEL declares this overload, but 1.32 converts no integer
      of('int64_to_duration', INT, DURATION, () => noConversion(INT, DURATION)),
      of('string_to_duration', STRING, DURATION, (text: string) => parseDuration(text) ?? noConversion(STRING, DURATION)),
    ],
  },
  { name: 'dyn', overloads: [of('to_dyn', A, DYN, (value: Value) => value)] },
  {
    name: 'int',
    overloads: [
      same('int64', INT),
      of('double_to_int64', DOUBLE, INT, doubleToInt),
      of('duration_to_int64', DURATION, INT, (value: Duration) => value.nanoseconds),
      of('string_to_int64', STRING, INT, (text: string) => whole(text, INTEGER, INT, int)),
      of('timestamp_to_int64', TIMESTAMP, INT, (value: Timestamp) => secondsOf(value)),
      of('uint64_to_int64', UINT, INT, (value: Uint) => int(value.value)),
    ],
  },
  {
    name: 'string',
    overloads: [
      same('string', STRING),
      of('bool_to_string', BOOL, STRING, (value: boolean) => String(value)),
      of('bytes_to_string', BYTES, STRING, bytesToText, { cost: traversalUnits, estimate: bytesSize }),
      of('double_to_string', DOUBLE, STRING, (value: number) => goFloat(value)),
      of('duration_to_string', DURATION, STRING, (value: Duration) => durationText(value)),
      of('int64_to_string', INT, STRING, (value: bigint) => String(value)),
      of('timestamp_to_string', TIMESTAMP, STRING, (value: Timestamp) => timestampText(value)),
      of('uint64_to_string', UINT, STRING, (value: Uint) => String(value.value)),
    ],
  },
  {
    name: 'timestamp',
    overloads: [
      same('timestamp', TIMESTAMP),
      of('int64_to_timestamp', INT, TIMESTAMP, (value: bigint) => timestamp(value * SECOND)),
      of('string_to_timestamp', STRING, TIMESTAMP, (text: string) => {
        const parsed = parseTimestamp(text);
        return parsed === undefined ? noConversion(STRING, TIMESTAMP) : timestamp(parsed.nanoseconds, parsed.offset);
      }),
    ],
  },
  { name: 'type', overloads: [of('type', A, typeOfType(A), (value: Value) => new TypeValue(typeNameOf(value)))] },
  {
    name: 'uint',
    overloads: [
      same('uint64', UINT),
      of('double_to_uint64', DOUBLE, UINT, doubleToUint),
      of('int64_to_uint64', INT, UINT, (value: bigint) => uint(value)),
      of('string_to_uint64', STRING, UINT, (text: string) => whole(text, DIGITS, UINT, uint)),
    ],
  },
];

/** Seconds since 1970, rounded down. */
export function secondsOf({ nanoseconds }: Timestamp): bigint {
  const within = ((nanoseconds % SECOND) + SECOND) % SECOND;
  return (nanoseconds - within) / SECOND;
}
