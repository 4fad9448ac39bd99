import type { ControllerRevision } from '../../../../generated/apps/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

/** The owner that manages a revision, such as `statefulset.apps/web`. */
export const cell: CellFunction<ControllerRevision> = ({ metadata }) => {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined) return '';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash === -1 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${(owner.kind + group).toLowerCase()}/${owner.name}`;
};
