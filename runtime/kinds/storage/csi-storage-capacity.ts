import type { CSIStorageCapacity } from '../../../generated/storage/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { deprecatedLabelWarning } from '../core/scheduling/node-labels.ts';

export const rules: KindRules<CSIStorageCapacity> = {
  warnings({ nodeTopology }, _old, context) {
    const warn = (key: string, path: string): string[] => deprecatedLabelWarning(key, `nodeTopology.${path}: `, context);
    return [
      ...(nodeTopology?.matchExpressions ?? []).flatMap(({ key }, index) => warn(key, `matchExpressions[${index}].key`)),
      ...Object.keys(nodeTopology?.matchLabels ?? {}).flatMap((key) => warn(key, `matchLabels.${key}`)),
    ];
  },
};
