import type { KindRules } from '../../contract/kind-rules.ts';
import { hasNewGeneration } from '../generation.ts';
import { podTemplateWarnings } from './pods/pod-warnings.ts';

export const rules: KindRules = {
  warnings: (object, old, context) => (hasNewGeneration(object, old) ? podTemplateWarnings(object.template, 'template.', context) : []),
};
