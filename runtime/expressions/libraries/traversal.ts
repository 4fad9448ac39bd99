/** The units that 1.32 charges for traversing a value. */
import type { FunctionDeclaration } from '../environment/declarations.ts';
import { ListValue, MapValue, StructValue, type Value } from '../values/value.ts';
import { TRAVERSAL } from './standard/costs.ts';

/** More than any evaluation may cost. A value that costs more is not traversed any further. */
const MOST_UNITS = 20_000_000;

/** Charges a unit for each scalar in a value, and a tenth of a unit for each byte of a text, rounded down. */
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

/** The items, or keys and values; undefined for a scalar. */
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

/** The cost of functions that compare the items of a list, or search a text, once. */
export const traversedItems: FunctionDeclaration['cost'] = ([value]) => traversedUnits(value);
