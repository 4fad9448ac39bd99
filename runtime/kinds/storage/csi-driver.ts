import type { CSIDriver } from '../../../generated/storage/v1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { deepEqual } from '../../schema/equal.ts';

export const rules: KindRules<CSIDriver> = {
  /** The first generation is what the creator said, as a rule none. */
  prepareForUpdate(object, old) {
    if (!deepEqual(object.spec, old.spec)) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
};
