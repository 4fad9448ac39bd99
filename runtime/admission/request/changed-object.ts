/** What somebody else has made of the object of a request, on its way to being that object. */
import type { ApiObject } from '../../contract/object.ts';
import { newInternalErrorOf } from '../../status/status.ts';

/** @param patched what a patch made of `object`. @throws StatusError InternalError */
export function requireSameKind(patched: Partial<ApiObject>, { apiVersion, kind }: ApiObject): void {
  const [version, name] = [patched.apiVersion ?? apiVersion, patched.kind ?? kind];
  if (version !== apiVersion || name !== kind)
    throw newInternalErrorOf(
      `no kind ${JSON.stringify(name)} of version ${JSON.stringify(version)} can be made of ${apiVersion}, Kind=${kind}`,
    );
}

/**
 * Makes the object of a request, which others hold, what it is to be. Who owns which of its fields was written down before; what is said of that does not count.
 * @param fresh of the hub; nobody else's
 */
export function replaceMembers(object: ApiObject, fresh: ApiObject): void {
  keepManagedFields(fresh, object);
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, fresh);
}

function keepManagedFields(fresh: ApiObject, { metadata }: ApiObject): void {
  if (metadata === undefined || fresh.metadata === undefined) return;
  const { managedFields } = metadata;
  if (managedFields === undefined) delete fresh.metadata.managedFields;
  else fresh.metadata.managedFields = managedFields;
}
