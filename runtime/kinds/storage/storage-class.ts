import type { StorageClass } from '../../../generated/storage/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { deprecatedLabelWarning } from '../core/scheduling/node-labels.ts';

export const rules: KindRules<StorageClass> = {
  warnings: ({ allowedTopologies }, _old, context) =>
    (allowedTopologies ?? []).flatMap((term, i) =>
      (term.matchLabelExpressions ?? []).flatMap(({ key }, j) =>
        deprecatedLabelWarning(key, `allowedTopologies[${i}].matchLabelExpressions[${j}].key: `, context),
      ),
    ),
};
