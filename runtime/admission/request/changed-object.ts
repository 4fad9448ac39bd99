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
 * Makes the object of a request, which others hold, what it is to be. What is said of `managedFields` counts where it is valid, which whoever asks for admission finds out.
 * @param fresh of the hub; nobody else's
 */
export function replaceMembers(object: ApiObject, fresh: ApiObject): void {
  for (const name of Object.keys(object)) delete object[name];
  Object.assign(object, fresh);
}
