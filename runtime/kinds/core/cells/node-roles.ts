import type { Node } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';

/** Roles that labels give a node: those named behind a prefix, and the value of an older label. */
export const cell: CellFunction<Node> = ({ metadata: { labels = {} } }, _now, { text }) => {
  const prefix = text('node-role.${labelDomain}/');
  const roles = Object.keys(labels).filter((key) => key.startsWith(prefix) && key.length > prefix.length);
  const older = labels[text('${labelDomain}/role')];
  const names = roles.map((key) => key.slice(prefix.length));
  if (older && !names.includes(older)) names.push(older);
  return names.sort().join(',');
};
