import type { KindRules } from '../../contract/kind-rules.ts';
import { podTemplateWarnings } from './pods/pod-warnings.ts';

export const rules: KindRules = {
  warnings: (object, _old, context) => podTemplateWarnings(object.template, 'template.', context),
};
