/** Slices in v1alpha3, where a capacity is a quantity; from v1beta1 on it is a struct that holds one. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';

export const conversion: ConversionFunctions = {
  toHub: (slice) => withCapacities(slice, (quantity) => ({ value: quantity })),
  fromHub: (slice) => withCapacities(slice, ({ value }) => value),
};

function withCapacities(slice: ApiObject, convert: (capacity: Struct) => Struct): ApiObject {
  for (const { basic } of (slice.spec?.devices ?? []) as Struct[]) {
    if (basic?.capacity === undefined) continue;
    basic.capacity = Object.fromEntries(Object.entries<Struct>(basic.capacity).map(([name, capacity]) => [name, convert(capacity)]));
  }
  return slice;
}
