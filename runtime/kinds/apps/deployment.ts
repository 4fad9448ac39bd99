import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { selectorText } from '../../selectors/label-selector.ts';
import { age } from '../cells/age.ts';
import { ROLLBACK } from './field-annotations.ts';
import { containerCells, nameWarnings, templateWarnings } from './workload.ts';

function defaults(object: ApiObject): void {
  const { spec } = object;
  const { type, rollingUpdate } = spec.strategy;
  if (type === 'RollingUpdate') {
    const { maxUnavailable = '25%', maxSurge = '25%' } = rollingUpdate ?? {};
    spec.strategy = { type, rollingUpdate: { maxUnavailable, maxSurge } };
  }
}

export const rules: KindRules = {
  defaults,
  /** Labels stay as they were: besides the status, only annotations go in through it. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  fieldAnnotations: [ROLLBACK],
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
  cells: (object, now) => [
    object.metadata.name,
    `${object.status?.readyReplicas ?? 0}/${object.spec.replicas ?? 0}`,
    object.status?.updatedReplicas ?? 0,
    object.status?.availableReplicas ?? 0,
    age(object.metadata.creationTimestamp, now),
    ...containerCells(object),
    selectorText(object.spec.selector),
  ],
};
