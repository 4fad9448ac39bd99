import { type FieldError, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';
import { notNegative } from '../core/numbers.ts';
import { unchanged } from '../immutable.ts';

function validate({ data, revision }: ApiObject): FieldError[] {
  const missing = data === undefined || data === null;
  return [...(missing ? [required('data', 'data is mandatory')] : []), ...notNegative(revision, 'revision')];
}

/** Cell: the owner that manages the revision, such as `statefulset.apps/web`. */
function controller(object: ApiObject): string {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${(owner.kind + group).toLowerCase()}/${owner.name}`;
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.data, old.data, 'data'),
  cells: (object, now) => [object.metadata.name, controller(object), object.revision, age(object.metadata.creationTimestamp, now)],
};
