import type { KindRules } from '../../contract/kind-rules.ts';
import { isAsked } from './name-warnings.ts';
import { podTemplateWarnings } from './pods/pod-warnings.ts';

export const rules: KindRules = {
  warnings: (object, old, context) => (isAsked(object, old) ? podTemplateWarnings(object.template, 'template.', context) : []),
};
