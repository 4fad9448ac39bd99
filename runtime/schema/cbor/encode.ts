/**
 * Encodes JSON values as CBOR the way 1.32 does: texts and names are byte strings, lengths are definite, and floating-point numbers have the shortest
 * exact width. What is stored has its members sorted by their encoded names; what is answered has them in an order of chance, lest clients rely on one. A Go
 * type says which texts are bytes and which numbers are floating-point.
 */
import { Code, type CompiledList, type CompiledMap, type CompiledStruct, type CompiledType, type CompiledUnion } from '../compile.ts';
import { compareUtf8, type JsonObject } from '../json/member.ts';
import { int64Of, isRawNumber, type RawNumber } from '../scalar/raw-number.ts';
import { ARRAY, BYTES, DOUBLE, HALF, MAP, NEGATIVE, POSITIVE, PRIMITIVE, SELF_DESCRIBED, SINGLE, TAG } from './head.ts';
import { TAGS } from './tags.ts';
import { CborWriter } from './writer.ts';

const FALSE = 20;
const TRUE = 21;
const NULL = 22;

/** Puts the names of the members of a map into the order in which they are written. */
export type MemberOrder = (names: string[]) => string[];

/** In the order of their encoded forms: shorter ones first. */
export const SORTED: MemberOrder = (names) => names.sort((a, b) => Buffer.byteLength(a) - Buffer.byteLength(b) || compareUtf8(a, b));

/** In the order of the value, from a member of chance on around to the one before it. */
export const ANY_ORDER: MemberOrder = (names) => {
  const first = Math.floor(Math.random() * names.length);
  return first === 0 ? names : [...names.slice(first), ...names.slice(0, first)];
};

const writer = new CborWriter();
let orderOf = SORTED;

/**
 * @param value as it would be written as JSON
 * @param type absent: values are encoded without a type
 * @throws RangeError for a value that is nested too deep for the stack
 */
export function encodeCbor(value: unknown, type?: CompiledType, order = SORTED): Buffer {
  orderOf = order;
  try {
    write(value, type);
    return writer.finish();
  } finally {
    writer.reset();
  }
}

/** Encodes a whole document, which begins with the tag of self-described CBOR. */
export function encodeCborDocument(value: unknown, type?: CompiledType, order = SORTED): Buffer {
  return Buffer.concat([SELF_DESCRIBED, encodeCbor(value, type, order)]);
}

/** The head of an array or a map, for callers that write its elements themselves. */
export function cborHead(of: 'array' | 'map', count: number): Buffer {
  writer.head(of === 'array' ? ARRAY : MAP, count);
  return writer.finish();
}

function write(value: unknown, type: CompiledType | undefined): void {
  if (typeof value === 'string') return writeText(value, type);
  if (typeof value === 'number') return writeNumber(value, type);
  if (value === null || value === undefined) return writer.head(PRIMITIVE, NULL);
  if (typeof value === 'boolean') return writer.head(PRIMITIVE, value ? TRUE : FALSE);
  if (Array.isArray(value)) return writeList(value, elementOf(type));
  if (isRawNumber(value)) return writeRaw(value, type);
  writeMembers(value as JsonObject, type);
}

function writeText(text: string, type: CompiledType | undefined): void {
  if (type?.code !== Code.bytes) return writer.text(BYTES, text);
  writer.head(TAG, TAGS.base64);
  writer.bytes(BYTES, Buffer.from(text, 'base64'));
}

function writeNumber(value: number, type: CompiledType | undefined): void {
  if (type?.code === Code.double || !Number.isSafeInteger(value)) writeFloat(value);
  else writeInteger(value);
}

function writeInteger(value: number | bigint): void {
  if (value >= 0) writer.head(POSITIVE, value);
  else writer.head(NEGATIVE, typeof value === 'bigint' ? -1n - value : -1 - value);
}

function writeRaw({ rawJSON }: RawNumber, type: CompiledType | undefined): void {
  const integer = type?.code === Code.double ? undefined : int64Of(rawJSON);
  if (integer === undefined) writeFloat(Number(rawJSON));
  else writeInteger(integer);
}

const scratch = Buffer.alloc(8);

function writeFloat(value: number): void {
  const half = halfOf(value);
  if (half !== undefined) {
    scratch.writeUInt16BE(half);
    writer.number(PRIMITIVE, HALF, scratch, 2);
  } else if (Math.fround(value) === value) {
    scratch.writeFloatBE(value);
    writer.number(PRIMITIVE, SINGLE, scratch, 4);
  } else {
    scratch.writeDoubleBE(value);
    writer.number(PRIMITIVE, DOUBLE, scratch, 8);
  }
}

const HALF_BIAS = 15;
const LEAST_EXPONENT = -14;
const FRACTION = 1024;

/** The bits of a value in IEEE 754 binary16; undefined if it has no exact form. */
function halfOf(value: number): number | undefined {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (size === 0) return sign;
  const exponent = Math.max(Math.floor(Math.log2(size)), LEAST_EXPONENT);
  if (exponent > HALF_BIAS) return undefined;
  const fraction = (size / 2 ** exponent) * FRACTION;
  if (!Number.isInteger(fraction) || fraction >= 2 * FRACTION) return undefined;
  return fraction < FRACTION ? sign | fraction : sign | ((exponent + HALF_BIAS) << 10) | (fraction - FRACTION);
}

function writeList(values: readonly unknown[], element: CompiledType | undefined): void {
  writer.head(ARRAY, values.length);
  for (const value of values) write(value, element);
}

function elementOf(type: CompiledType | undefined): CompiledType | undefined {
  if (type?.code === Code.list) return (type as CompiledList).element;
  return type?.code === Code.structOrList ? (type as CompiledUnion).struct : undefined;
}

function writeMembers(object: JsonObject, type: CompiledType | undefined): void {
  const names = namesOf(object);
  writer.head(MAP, names.length);
  const typeOf = memberTypes(type);
  for (const name of names) {
    writer.text(BYTES, name);
    write(object[name], typeOf?.(name));
  }
}

/** The names of members that are present. */
const namesOf = (object: JsonObject): string[] => orderOf(Object.keys(object).filter((name) => object[name] !== undefined));

function memberTypes(type: CompiledType | undefined): ((name: string) => CompiledType | undefined) | undefined {
  switch (type?.code) {
    case Code.map:
      return () => (type as CompiledMap).value;
    case Code.struct:
      return ofStruct(type as CompiledStruct);
    case Code.structOrBoolean:
    case Code.structOrList:
    case Code.structOrNames:
      return ofStruct((type as CompiledUnion).struct);
    default:
      return undefined;
  }
}

/** Values of structural types are encoded without a type. */
const ofStruct = (struct: CompiledStruct) => (struct.isGo ? (name: string) => struct.byName.get(name)?.type : undefined);
