/** Times in managedFields: they tell of changes, so that what changes nothing else leaves them as they were. */
import type { ApiObject } from '../../contract/object.ts';
import { deepEqual } from '../../schema/equal.ts';

/**
 * Whether a write changes anything. Where the two objects differ in their owners' times at most it does not, and `object` gets the
 * managedFields of `old`. Metadata are compared first: most writes change something there.
 */
export function changesAnything(object: ApiObject, old: ApiObject): boolean {
  if (!sameMembers(object.metadata, old.metadata, 'managedFields') || !sameMembers(object, old, 'metadata')) return true;
  const entries = object.metadata.managedFields;
  const before = old.metadata.managedFields;
  if (entries === before) return false;
  if (entries === undefined || before === undefined || entries.length !== before.length) return true;
  if (!entries.every((entry, index) => sameButTime(entry as object, before[index] as object))) return true;
  object.metadata.managedFields = before;
  return false;
}

function sameButTime(entry: object, before: object): boolean {
  return entry === before || sameMembers(entry, before, 'time');
}

/** Equality of all members but one; one that is `undefined` counts as absent. */
function sameMembers(a: object, b: object, except: string): boolean {
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name in left) {
    if (name === except || left[name] === undefined) continue;
    if (!Object.hasOwn(right, name) || !deepEqual(left[name], right[name])) return false;
  }
  for (const name in right) {
    if (name === except || right[name] === undefined) continue;
    if (!Object.hasOwn(left, name) || left[name] === undefined) return false;
  }
  return true;
}
