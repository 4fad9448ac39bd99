import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';

/** Cell: the owner that manages the revision, such as `statefulset.apps/web`. */
function controller(object: ApiObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${(owner.kind + group).toLowerCase()}/${owner.name}`;
}

export const rules: KindRules = {
  cells: (object, now) => [object.metadata.name, controller(object), object.revision, age(object.metadata.creationTimestamp, now)],
};
