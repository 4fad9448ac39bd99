/** What 1.32 charges for walking through all that a value holds. */
import type { FunctionDeclaration } from '../environment/declarations.ts';
import { ListValue, MapValue, StructValue, type Value } from '../values/value.ts';
import { TRAVERSAL } from './standard/costs.ts';

/** A unit for each scalar in a value, a tenth of one for each byte of a text, rounded down. */
function traversedUnits(value: Value | undefined): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * TRAVERSAL);
  if (value instanceof Uint8Array) return Math.floor(value.length * TRAVERSAL);
  let units = 0;
  if (value instanceof ListValue) for (const item of value) units += traversedUnits(item);
  else if (value instanceof MapValue) for (const key of value.keys()) units += traversedUnits(key) + traversedUnits(value.find(key));
  else if (value instanceof StructValue)
    for (const field of value.fields()) units += traversedUnits(field) + traversedUnits(value.get(field));
  else return 1;
  return units;
}

/** Of functions that compare the items of a list, or look for something in a text, once. */
export const traversedItems: FunctionDeclaration['cost'] = ([value]) => traversedUnits(value);
