/** Finds the parameters that a binding gives to its policy (`CollectParams` in admission/plugin/policy/generic of 1.32). */
import type { ParamKind, ParamRef } from '../../../generated/admissionregistration/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { FoundObjects } from '../../registry/resource-store/objects-of-kinds.ts';
import { isUsable } from '../../selectors/label-selector.ts';

export type FindObjectsOfKind = (apiVersion: string, kind: string) => FoundObjects | undefined;

/**
 * The parameters of a binding. If there are none, the policy is not evaluated; an undefined one means that it is evaluated without a
 * parameter.
 */
export type Parameters = readonly (ApiObject | undefined)[];

/** The parameters cannot be determined. */
export class ParameterError extends Error {}

const WITHOUT: Parameters = [undefined];

/** @throws ParameterError for a kind that is not served */
export function requireParamKind({ apiVersion = '', kind = '' }: ParamKind, objectsOfKind: FindObjectsOfKind): void {
  if (objectsOfKind(apiVersion, kind) !== undefined) return;
  const slash = apiVersion.indexOf('/');
  const [group, version] = slash === -1 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  throw new ParameterError(`failed to find resource referenced by paramKind: '${group}/${version}, Kind=${kind}'`);
}

/**
 * @param namespace of the request; '' if it has none
 * @throws ParameterError, LongObject, and StatusError of a conversion; a promise rejects with them
 */
export function parametersOf(
  paramKind: ParamKind | undefined,
  paramRef: ParamRef | undefined,
  namespace: string,
  objectsOfKind: FindObjectsOfKind,
): Parameters | Promise<Parameters> {
  if (paramKind === undefined || paramRef === undefined) return WITHOUT;
  const { apiVersion = '', kind = '' } = paramKind;
  const objects = objectsOfKind(apiVersion, kind);
  if (objects === undefined) throw new ParameterError(`paramKind kind \`&ParamKind{APIVersion:${apiVersion},Kind:${kind},}\` not known`);
  const place = objects.namespaced ? paramRef.namespace || namespace : '';
  if (objects.namespaced && place === '')
    throw new ParameterError('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  if (!objects.namespaced && paramRef.namespace)
    throw new ParameterError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const found = foundOf(paramRef, place, objects);
  return found instanceof Promise ? found.then((all) => orNotFound(all, paramRef)) : orNotFound(found, paramRef);
}

function foundOf(
  { name = '', selector }: ParamRef,
  namespace: string,
  objects: NonNullable<ReturnType<FindObjectsOfKind>>,
): readonly ApiObject[] | Promise<readonly ApiObject[]> {
  if (name !== '') {
    if (selector !== undefined) throw new ParameterError('paramRef.name and paramRef.selector are mutually exclusive');
    const found = objects.get(namespace, name);
    return found instanceof Promise ? found.then(listOf) : listOf(found);
  }
  if (selector === undefined) throw new ParameterError('one of name or selector must be provided');
  if (!isUsable(selector)) throw new ParameterError('paramRef.selector cannot be used');
  return objects.selected(namespace, selector);
}

const listOf = (object: ApiObject | undefined): readonly ApiObject[] => (object === undefined ? [] : [object]);

/** @throws ParameterError */
function orNotFound(found: readonly ApiObject[], { parameterNotFoundAction }: ParamRef): Parameters {
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    throw new ParameterError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}
