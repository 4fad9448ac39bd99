import type { KindRules } from '../../contract/kind.ts';
import { validatePodTemplate } from './pod-template-validation.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

export const rules: KindRules = {
  validate: (object, context) => validatePodTemplate(object.template, 'template', context),
  warnings: (object, _old, context) => podTemplateWarnings(object.template, 'template.', context),
};
