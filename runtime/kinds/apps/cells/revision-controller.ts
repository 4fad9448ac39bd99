import type { ApiObject } from '../../../contract/object.ts';
import type { CellFunction } from '../../../contract/table.ts';

/** The owner that manages a revision, such as `statefulset.apps/web`. */
export const cell: CellFunction<ApiObject> = ({ metadata }) => {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${(owner.kind + group).toLowerCase()}/${owner.name}`;
};
