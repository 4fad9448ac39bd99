/** Times in managedFields: they tell of changes, so that what changes nothing else leaves them as they were. */
import type { ApiObject } from '../contract/object.ts';
import { deepEqual } from '../schema/equal.ts';

/** Gives `object` the managedFields of `old` where the two objects differ in their owners' times at most. */
export function keepTimesOfOwners(object: ApiObject, old: ApiObject): void {
  const entries = object.metadata.managedFields;
  const before = old.metadata.managedFields;
  if (entries === undefined || before === undefined || entries.length !== before.length || entries === before) return;
  if (!entries.every((entry, index) => sameButTime(entry as object, before[index] as object))) return;
  object.metadata.managedFields = before;
  if (!deepEqual(object, old)) object.metadata.managedFields = entries;
}

function sameButTime(entry: object, before: object): boolean {
  if (entry === before) return true;
  return deepEqual({ ...entry, time: undefined }, { ...before, time: undefined });
}
