/** What 1.32 charges for walking through all that a value holds. */
import type { FunctionDeclaration } from '../environment/declarations.ts';
import { ListValue, MapValue, StructValue, type Value } from '../values/value.ts';
import { TRAVERSAL } from './standard/costs.ts';

/** More than any evaluation may cost. What costs as much is not walked through any further. */
const MOST_UNITS = 20_000_000;

/** A unit for each scalar in a value, a tenth of one for each byte of a text, rounded down. */
function traversedUnits(value: Value | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * TRAVERSAL);
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL);
  const parts = partsOf(value);
  if (parts === undefined) return 1;
  let units = 0;
  for (const part of parts) {
    units += traversedUnits(part);
    if (units > MOST_UNITS) return units;
  }
  return units;
}

/** Items, or keys and values; undefined for what has none. */
function partsOf(value: Value | undefined): Iterable<Value> | undefined {
  if (value instanceof ListValue) return value;
  if (value instanceof MapValue) return keysAndValues(value.keys(), (key) => value.find(key) as Value);
  return value instanceof StructValue ? keysAndValues(value.fields(), (field) => value.get(field as string)) : undefined;
}

function* keysAndValues(keys: Iterable<Value>, find: (key: Value) => Value): Generator<Value> {
  for (const key of keys) {
    yield key;
    yield find(key);
  }
}

/** Of functions that compare the items of a list, or look for something in a text, once. */
export const traversedItems: FunctionDeclaration['cost'] = ([value]) => traversedUnits(value);
