import type { KindRules } from '../../contract/kind-rules.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

export const rules: KindRules = {
  warnings: (object, _old, context) => podTemplateWarnings(object.template, 'template.', context),
};
