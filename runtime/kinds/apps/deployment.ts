import type { KindRules } from '../../contract/kind.ts';
import { ROLLBACK } from './field-annotations.ts';
import { nameWarnings, templateWarnings } from './workload.ts';

export const rules: KindRules = {
  /** Labels stay as they were: besides the status, only annotations go in through it. */
  prepareForStatusUpdate(object, old) {
    if (old.metadata.labels === undefined) delete object.metadata.labels;
    else object.metadata.labels = old.metadata.labels;
  },
  fieldAnnotations: [ROLLBACK],
  warnings: (object, old, context) => [...nameWarnings(object, old), ...templateWarnings(object, old, context)],
};
