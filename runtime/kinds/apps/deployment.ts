import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { ROLLBACK } from './field-annotations.ts';
import { nameWarnings, templateWarnings } from './workload.ts';

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
};
