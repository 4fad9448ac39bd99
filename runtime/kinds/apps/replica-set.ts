import type { KindRules } from '../../contract/kind.ts';
import { age } from '../cells/age.ts';
import { containerCells, nameWarnings, selectorCell, templateWarnings } from './workload.ts';

export const rules: KindRules = {
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
  cells: (object, now) => [
    object.metadata.name,
    object.spec.replicas ?? 0,
    object.status?.replicas ?? 0,
    object.status?.readyReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
    selectorCell(object),
  ],
};
