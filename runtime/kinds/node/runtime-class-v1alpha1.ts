import type { ConversionFunctions } from '../../contract/kind.ts';

/** In v1alpha1 everything stands in `spec`, which later versions do not have. The declared steps move its members; the empty rest goes here. */
export const conversion: ConversionFunctions = {
  toHub(object) {
    delete object.spec;
    return object;
  },
  fromHub(object) {
    object.spec ??= {};
    return object;
  },
};
