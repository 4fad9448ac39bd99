import { Uint, type Value } from './types.ts';

/** Characters of a text, bytes, items or entries; 1 of everything else. */
export function sizeOf(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (value instanceof Uint8Array || Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : 1;
}

/** Numbers are equal across their types; other values of different types are not. */
export function equalValues(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, index) => equalValues(item, b[index]));
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && equalValues(value, b.get(key) as Value));
  return compareValues(a, b) === 0;
}

/** Below, at or above 0; undefined for values that have no order. */
export function compareValues(a: Value, b: Value): number | undefined {
  const [x, y] = [number(a), number(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : isNotANumber(x) || isNotANumber(y) ? undefined : 0;
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  return undefined;
}

const isNotANumber = (value: bigint | number): boolean => typeof value === 'number' && Number.isNaN(value);

/** Integers of both types are the same key. */
export function keyOf(value: Value): Value {
  return value instanceof Uint ? value.value : value;
}

function number(value: Value): bigint | number | undefined {
  if (value instanceof Uint) return value.value;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}
