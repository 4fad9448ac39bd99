/** Slices in v1alpha3, where a capacity is a quantity; from v1beta1 on it is a struct that holds one. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';

/** What both versions have in common, as far as capacities are concerned. */
interface Device {
  readonly basic?: { capacity?: Readonly<Record<string, unknown>> };
}

export const conversion: ConversionFunctions = {
  toHub: (slice) => withCapacities(slice, (quantity: string) => ({ value: quantity })),
  fromHub: (slice) => withCapacities(slice, ({ value }: { value: string }) => value),
};

function withCapacities<Capacity>(slice: ApiObject, convert: (capacity: Capacity) => unknown): ApiObject {
  for (const { basic } of (slice.spec?.devices ?? []) as Device[]) {
    if (basic?.capacity === undefined) continue;
    const capacities = Object.entries(basic.capacity as Readonly<Record<string, Capacity>>);
    basic.capacity = Object.fromEntries(capacities.map(([name, capacity]) => [name, convert(capacity)]));
  }
  return slice;
}
