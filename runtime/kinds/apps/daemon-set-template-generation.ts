/** How often the template of a daemon set has changed; apps/v1 has it in an annotation. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import { numberText } from '../../schema/scalar/raw-number.ts';
import { TEMPLATE_GENERATION } from './field-annotations.ts';
import { annotate, takeNumber } from './number-annotation.ts';

export const conversion: ConversionFunctions = {
  toHub(object) {
    const { templateGeneration, ...spec } = object.spec ?? {};
    object.spec = spec;
    return annotate(object, TEMPLATE_GENERATION, numberText(templateGeneration) ?? '0');
  },
  fromHub(object) {
    const templateGeneration = takeNumber(object, TEMPLATE_GENERATION);
    if (templateGeneration) object.spec = { ...object.spec, templateGeneration };
    return object;
  },
};
