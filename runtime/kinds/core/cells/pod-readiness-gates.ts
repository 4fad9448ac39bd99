import type { Pod } from '../../../../generated/core/v1/types.ts';
import type { CellFunction } from '../../../contract/table.ts';
import { hasTrueCondition } from '../pods/pod-start.ts';

/** Conditions that a pod needs besides its own and has, and how many it needs: `1/2`. */
export const cell: CellFunction<Pod> = ({ spec, status }) => {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return '';
  return `${gates.filter(({ conditionType }) => hasTrueCondition(status, conditionType)).length}/${gates.length}`;
};
