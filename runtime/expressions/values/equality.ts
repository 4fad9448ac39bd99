/** Equality and order of values (language definition of CEL, sections Equality and Ordering). */
import {
  Duration,
  ErrorValue,
  ListValue,
  MapValue,
  NO_SUCH_OVERLOAD,
  OpaqueValue,
  Optional,
  StructValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

/** Numbers of different types may be equal; other values of different types are not. */
export const equalValues = (a: Value, b: Value): boolean => equality(a, b) === true;

/** The result of `==`. */
export const equality = (a: Value, b: Value): Value => (a === null || b === null ? a === b : comparison(a, b));

/**
 * The result of comparing `a` with another value, as `a` does it. In 1.32 values of libraries, and lists and maps that are read through a
 * schema, cannot be compared with other values, and an error is the result of every comparison with it.
 */
export function comparison(a: Value, b: Value): Value {
  if (a === null || typeof a !== 'object') return a === b || (isNumber(a) && isNumber(b) && compareNumbers(a, b) === 0);
  if (a instanceof ErrorValue) return a;
  if (a instanceof ListValue) return listComparison(a, b);
  if (a instanceof MapValue) return mapComparison(a, b);
  if (a instanceof Optional) return b instanceof Optional && optionalComparison(a, b);
  if (a instanceof OpaqueValue) return a.isComparable(b) ? b instanceof OpaqueValue && a.equals(b) : NO_SUCH_OVERLOAD;
  return sameParts(a, b);
}

function sameParts(a: Uint | StructValue | Timestamp | Duration | TypeValue | Uint8Array, b: Value): boolean {
  if (a instanceof Uint) return isNumber(b) && compareNumbers(a, b) === 0;
  if (a instanceof StructValue) return b instanceof StructValue && equalStructs(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanoseconds === b.nanoseconds;
  if (a instanceof Duration) return b instanceof Duration && a.nanoseconds === b.nanoseconds;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
}

/** @returns a negative number, 0 or a positive one; undefined for values that have no order */
export function compareValues(a: Value, b: Value): number | undefined {
  if (isNumber(a) && isNumber(b)) return compareNumbers(a, b);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.nanoseconds, b.nanoseconds);
  if (a instanceof Duration && b instanceof Duration) return order(a.nanoseconds, b.nanoseconds);
  return undefined;
}

/** Compares by code points, while JavaScript compares code units. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  for (let index = 0; index < end; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) return isSurrogate(x) === isSurrogate(y) ? x - y : isSurrogate(x) ? 1 : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
const order = (a: bigint | number, b: bigint | number): number => (a < b ? -1 : a > b ? 1 : 0);

type NumberValue = bigint | Uint | number;
export const isNumber = (value: Value): value is NumberValue =>
  typeof value === 'bigint' || typeof value === 'number' || value instanceof Uint;

/** As in cel-go, an integer that is compared with a double is rounded to a double. */
function compareNumbers(a: NumberValue, b: NumberValue): number | undefined {
  const [x, y] = [a instanceof Uint ? a.value : a, b instanceof Uint ? b.value : b];
  if (typeof x === typeof y) return typeof x === 'number' && (Number.isNaN(x) || Number.isNaN(y as number)) ? undefined : order(x, y);
  const [left, right] = [Number(x), Number(y)];
  return Number.isNaN(left) || Number.isNaN(right) ? undefined : order(left, right);
}

function listComparison(a: ListValue, b: Value): Value {
  if (!(b instanceof ListValue)) return a.isOfSchema ? NO_SUCH_OVERLOAD : false;
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) {
    const outcome = partComparison(a, a.at(index), b.at(index));
    if (outcome !== true) return outcome;
  }
  return true;
}

function mapComparison(a: MapValue, b: Value): Value {
  if (!(b instanceof MapValue)) return a.isOfSchema ? NO_SUCH_OVERLOAD : false;
  if (a.equals !== undefined) return a.equals(b);
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    const other = b.find(key);
    const outcome = other === undefined ? false : partComparison(a, a.find(key) as Value, other);
    if (outcome !== true) return outcome;
  }
  return true;
}

/** Compares parts of a list or map. One that an expression made takes parts that cannot be compared for equal, as in 1.32. */
function partComparison({ isOfSchema }: ListValue | MapValue, a: Value, b: Value): Value {
  return isOfSchema ? comparison(a, b) : equality(a, b) !== false;
}

function equalStructs(a: StructValue, b: StructValue): boolean {
  if (a.type.name !== b.type.name) return false;
  for (const field of a.fields()) if (!b.has(field) || !equalValues(a.get(field), b.get(field))) return false;
  for (const field of b.fields()) if (!a.has(field)) return false;
  return true;
}

function optionalComparison(a: Optional, b: Optional): Value {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return comparison(a.value, b.value);
}

/**
 * Whether an item equals the value. @returns an error only if the list contains one, or cannot be compared with the value where it is read
 * through a schema
 */
export function contains(list: ListValue, value: Value): Value {
  let problem: ErrorValue | undefined;
  for (const item of list) {
    if (item instanceof ErrorValue && !list.isOfSchema) return item;
    const outcome = list.isOfSchema ? comparison(item, value) : comparison(value, item);
    if (outcome === true) return true;
    if (list.isOfSchema && outcome instanceof ErrorValue) problem ??= outcome;
  }
  return problem ?? false;
}
