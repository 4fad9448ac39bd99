import type { KindRules } from '../../contract/kind-rules.ts';
import { hasNewGeneration } from '../generation.ts';
import { nameWarnings } from './name-warnings.ts';
import { podTemplateWarnings } from './pods/pod-warnings.ts';

export const rules: KindRules = {
  // Of a change, 1.32 says what is doubtful in the template that was there.
  warnings: (object, old, context) => [
    ...nameWarnings(object, old),
    ...(hasNewGeneration(object, old) ? podTemplateWarnings((old ?? object).spec?.template, 'spec.template.', context) : []),
  ],
};
