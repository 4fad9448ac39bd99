/** The revision that a deployment of a removed version is asked to go back to; apps/v1 has it in an annotation. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import { numberText } from '../../schema/scalar/raw-number.ts';
import { ROLLBACK } from './field-annotations.ts';
import { annotate, takeNumber } from './number-annotation.ts';

export const conversion: ConversionFunctions = {
  toHub(object) {
    if (object.spec?.rollbackTo === undefined) return object;
    const { rollbackTo, ...spec } = object.spec;
    object.spec = spec;
    return annotate(object, ROLLBACK, numberText(rollbackTo.revision) ?? '0');
  },
  fromHub(object) {
    const revision = takeNumber(object, ROLLBACK);
    if (revision !== undefined) object.spec = { ...object.spec, rollbackTo: { revision } };
    return object;
  },
};
