import type { KindRules } from '../../contract/kind-rules.ts';
import { nameWarnings } from './name-warnings.ts';
import { podTemplateWarnings } from './pods/pod-warnings.ts';

export const rules: KindRules = {
  warnings: (object, old, context) => [
    ...nameWarnings(object, old),
    ...podTemplateWarnings(object.spec?.template, 'spec.template.', context),
  ],
};
