import type { CSINode } from '../../../generated/storage/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';

/** Drivers come and go; one that stays does not change. 1.32 has a path of its own for it. */
export function sameDrivers({ spec }: CSINode, old: CSINode | undefined): readonly FieldError[] {
  const byName = Map.groupBy(spec.drivers ?? [], ({ name }) => name);
  return (old?.spec.drivers ?? [])
    .flatMap((before) => (byName.get(before.name) ?? []).filter((driver) => !deepEqual(driver, before)))
    .map((driver) => invalid('.CSINodeDriver', driver, 'field is immutable'));
}
