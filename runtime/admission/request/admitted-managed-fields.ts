/** What admission has made of the managedFields of an object, which say who owns its fields. */
import { changedEntries, EntriesError } from '../../apply/managers.ts';
import type { ApiObject } from '../../contract/object.ts';
import { setManagedFields } from '../../registry/resource-store/field-manager.ts';
import { deepEqual } from '../../schema/equal.ts';

/**
 * Keeps changes that say something, and undoes others.
 * @param before as they were
 * @returns a warning about changes that are undone
 */
export function settleManagedFields(object: ApiObject, before: unknown[] | undefined): string | undefined {
  const after: unknown[] | undefined = object.metadata.managedFields;
  if (deepEqual(after, before)) {
    setManagedFields(object, before);
    return undefined;
  }
  const { entries, problem } = checked(after ?? []);
  setManagedFields(object, problem === undefined ? entries : before);
  return problem && `${WARNING}: ${problem}`;
}

const WARNING =
  '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests';

function checked(after: readonly unknown[]): { readonly entries?: object[]; readonly problem?: string } {
  try {
    return after.length === 0 ? {} : { entries: changedEntries(after) };
  } catch (error) {
    if (error instanceof EntriesError) return { problem: error.message };
    throw error;
  }
}
