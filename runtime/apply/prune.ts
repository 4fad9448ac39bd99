/** Giving up fields by leaving them out of an apply. */
import { difference, type FieldSet, intersection, isEmptySet, union, unionOf } from './field-set.ts';
import type { Manager, Managers } from './managers.ts';
import { fieldsOf, withStructMembers } from './owned-fields.ts';
import { withoutFields } from './remove.ts';
import { inVersion, type OwnedVersion, type Versions } from './versions.ts';

/**
 * What an applier has applied before goes when it applies it no longer and nobody else owns it.
 * @param merged the intent on top of the live object, of the version of `own`; never changed
 * @param others the other owners, of versions that are served
 * @param own what the applier owns now
 * @param last what it owned before, of a version that is served
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

/** Adds back what others own, version by version: first the one in which things were removed, lest a conversion miss what it needs. */
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
