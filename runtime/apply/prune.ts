/** Removes fields that an applier no longer applies. */
import { difference, type FieldSet, intersection, isEmptySet, union, unionOf } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import { fieldsOf, withStructMembers } from './owned-fields.ts';
import { withoutFields } from './remove.ts';
import { inVersion, type OwnedVersion, type Versions } from './versions.ts';

/**
 * Removes what the applier has applied before but does not apply any longer, unless somebody else owns it.
 * @param merged the live object with the intent, in the version of `own`; never changed
 * @param others the other owners, whose versions are served
 * @param own the applier with its new fields
 * @param last the applier with its former fields, in a served version
 */
export function pruned(versions: Versions, merged: object, others: Managers, own: Manager, last: Manager | undefined): object {
  if (last === undefined || (last.apiVersion === own.apiVersion && isEmptySet(difference(last.fields, own.fields)))) return merged;
  const version = versions.find(own.apiVersion) as OwnedVersion;
  const lastVersion = versions.find(last.apiVersion) as OwnedVersion;
  const [whole] = inVersion(versions, [merged], version, lastVersion);
  const lastFields = withStructMembers(lastVersion.shape, last.fields);
  const kept = withOwnedItems(versions, lastVersion, whole, withoutFields(lastVersion.shape, whole, lastFields), [own, ...others.values()]);
  const gone = difference(memberedFields(lastVersion, whole), memberedFields(lastVersion, kept));
  const [left] = inVersion(versions, [withoutFields(lastVersion.shape, whole, intersection(gone, lastFields))], lastVersion, version);
  return left;
}

/**
 * Adds back what others own, version by version. It begins with the version in which fields were removed, so that no conversion lacks what
 * it needs.
 */
function withOwnedItems(versions: Versions, version: OwnedVersion, merged: object, without: object, owners: readonly Manager[]): object {
  const owned = new Map<string, FieldSet[]>([[version.apiVersion, []]]);
  for (const { apiVersion, fields } of owners) {
    const sets = owned.get(apiVersion);
    if (sets === undefined) owned.set(apiVersion, [fields]);
    else sets.push(fields);
  }
  let [whole, kept, at] = [merged, without, version];
  for (const [apiVersion, sets] of owned) {
    const next = versions.find(apiVersion) as OwnedVersion;
    [whole, kept] = inVersion(versions, [whole, kept], at, next);
    at = next;
    const stays = union(memberedFields(next, kept), withStructMembers(next.shape, unionOf(sets)));
    kept = withoutFields(next.shape, whole, difference(memberedFields(next, whole), stays));
  }
  const [left] = inVersion(versions, [kept], at, version);
  return left;
}

function memberedFields({ shape }: OwnedVersion, object: object): FieldSet {
  return withStructMembers(shape, fieldsOf(shape, object));
}
