/**
 * Converts the result of a strategic merge to its Go type as 1.32 does: by conversions between Go types instead of reading JSON. A whole
 * number fits every number type, whose surplus bits are cut off; errors name kinds of Go types.
 * @see https://pkg.go.dev/k8s.io/apimachinery/pkg/runtime#UnstructuredConverter FromUnstructured
 */
import {
  Code,
  type CompiledList,
  type CompiledMap,
  type CompiledScalar,
  type CompiledStruct,
  type CompiledType,
  type CompiledUnion,
} from './compile.ts';
import { DecodeError, explainUnion } from './explain.ts';
import { isObject, type JsonObject, setMember, sortedNames } from './json/member.ts';
import { integerOf, isRawNumber, type RawNumber, untypedNumber } from './scalar/raw-number.ts';
import { ScalarError } from './scalar/scalar-error.ts';
import { decodeScalar } from './scalar-values.ts';
import { typeName, underlyingScalar } from './type-name.ts';

/**
 * @param value a parsed JSON value; not changed
 * @returns the value with numbers as the type holds them; unknown members and values of structural types stay
 * @throws DecodeError for the first value that cannot be converted, in the order of the type's members
 */
export function restore(type: CompiledType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  switch (type.code) {
    case Code.struct:
      return (type as CompiledStruct).isGo ? restoreStruct(type as CompiledStruct, value) : value;
    case Code.map:
      return restoreMap(type as CompiledMap, value);
    case Code.list:
      return restoreList(type as CompiledList, value);
    case Code.bytes:
      return restoreBytes(value);
    case Code.string:
    case Code.boolean:
    case Code.int32:
    case Code.int64:
    case Code.double:
      return restoreSimple(type as CompiledScalar, value);
    default:
      return restoreOwnForm(type, value);
  }
}

function restoreStruct({ members }: CompiledStruct, value: unknown): JsonObject {
  if (!isObject(value)) throw new DecodeError(`cannot restore struct from: ${goKind(value)}`);
  const restored = { ...value };
  for (const { name, type } of members) if (Object.hasOwn(value, name)) setMember(restored, name, restore(type, value[name]));
  return restored;
}

function restoreMap({ value: type }: CompiledMap, value: unknown): JsonObject {
  if (!isObject(value)) throw new DecodeError(`cannot restore map from ${goKind(value)}`);
  const restored: JsonObject = {};
  for (const name of sortedNames(Object.keys(value))) setMember(restored, name, restore(type, value[name]));
  return restored;
}

function restoreList({ element }: CompiledList, value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new DecodeError(`cannot restore slice from ${goKind(value)}`);
  return value.map((item) => restore(element, item));
}

function restoreBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (item === null ? item : restoreNumber(item, 'uint8', 'uint8')));
  if (typeof value !== 'string') throw new DecodeError(`cannot restore slice from ${goKind(value)}`);
  try {
    return decodeScalar(Code.bytes, value);
  } catch (error) {
    throw error instanceof ScalarError ? new DecodeError(`error decoding from json: ${error.message}`) : error;
  }
}

function restoreSimple(type: CompiledScalar, value: unknown): unknown {
  const kind = underlyingScalar(type) as string;
  if (type.code !== Code.string && type.code !== Code.boolean) return restoreNumber(value, kind, typeName(type));
  const found = goKind(value);
  if (found === kind) return value;
  // Go could convert an integer to the text of that code point, so the error says that the conversion is refused.
  if (type.code === Code.string && found === 'int64') throw cannotConvert(found, typeName(type));
  throw unrecognized(kind);
}

/** @param kind kind of the Go type: `uint8`, `int32`, `int64` or `float64` */
function restoreNumber(value: unknown, kind: string, name: string): number | RawNumber {
  const number = goNumber(value);
  if (number === undefined) throw unrecognized(kind);
  if (kind === 'float64') return isRawNumber(number) ? Number(number.rawJSON) : number;
  if (!isRawNumber(number) && !Number.isInteger(number)) throw cannotConvert('float64', name);
  return integerOf(cut(wholeOf(number), kind));
}

const INT64_LIMIT = 2 ** 63;

/** A double beyond 64 bits becomes the smallest integer, as on amd64. */
function wholeOf(number: number | RawNumber): bigint {
  if (isRawNumber(number)) return BigInt(number.rawJSON);
  return number >= -INT64_LIMIT && number < INT64_LIMIT ? BigInt(number) : -(2n ** 63n);
}

function cut(whole: bigint, kind: string): bigint {
  if (kind === 'uint8') return BigInt.asUintN(8, whole);
  return kind === 'int32' ? BigInt.asIntN(32, whole) : whole;
}

/** Types that read their own JSON get the value as JSON. */
function restoreOwnForm(type: CompiledType, value: unknown): unknown {
  const json = asJson(value);
  const error = type.code >= Code.structOrBoolean ? explainUnion(type as CompiledUnion, json) : undefined;
  if (error !== undefined) throw error;
  try {
    if (type.code < Code.structOrBoolean) decodeScalar(type.code, json);
  } catch (error) {
    throw error instanceof ScalarError ? new DecodeError(error.message) : error;
  }
  return json;
}

/** Numbers are spelt by their value: `2.0` becomes an integer. */
function asJson(value: unknown): unknown {
  if (isRawNumber(value)) return goNumber(value);
  if (Array.isArray(value)) return value.map(asJson);
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) setMember(copy, name, asJson(value[name]));
  return copy;
}

function cannotConvert(found: string, wanted: string): DecodeError {
  return new DecodeError(`cannot convert ${found} to ${wanted}`);
}

function unrecognized(kind: string): DecodeError {
  return new DecodeError(`unrecognized type: ${kind}`);
}

/** @returns a number or raw number by its value, doubles as JavaScript numbers; undefined for anything else */
function goNumber(value: unknown): number | RawNumber | undefined {
  if (typeof value === 'number') return value;
  return isRawNumber(value) ? untypedNumber(value) : undefined;
}

/** The kind of the Go type of a parsed JSON value. */
function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (isObject(value)) return 'map';
  const number = goNumber(value);
  return isRawNumber(number) || Number.isInteger(number) ? 'int64' : 'float64';
}
