import type { KindRules } from '../../contract/kind.ts';
import { labelsText } from '../../selectors/label-selector.ts';
import { containerCells } from '../apps/workload.ts';
import { validatePodTemplate } from './pod-template-validation.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

export const rules: KindRules = {
  validate: (object, context) => validatePodTemplate(object.template, 'template', context),
  warnings: (object, _old, context) => podTemplateWarnings(object.template, 'template.', context),
  cells: (object) => [
    object.metadata.name,
    ...containerCells({ ...object, spec: { template: object.template } }),
    labelsText(object.template?.metadata?.labels),
  ],
};
