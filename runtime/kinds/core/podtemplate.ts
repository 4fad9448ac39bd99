import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { containerCells } from '../apps/workload.ts';
import { labelsText } from '../selectors/label-selector.ts';
import { defaultPodTemplate } from './pod-template-defaults.ts';
import { validatePodTemplate } from './pod-template-validation.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

const validate = (object: ApiObject, context: RuleContext): FieldError[] => validatePodTemplate(object.template, 'template', context);

export const rules: KindRules = {
  defaults: (object) => defaultPodTemplate(object.template),
  validate,
  /** 1.32 validates an updated template twice and reports each finding twice. */
  validateUpdate: (object, _old, context) => validate(object, context),
  warnings: (object, _old, context) => podTemplateWarnings(object.template, 'template.', context),
  cells: (object) => [
    object.metadata.name,
    ...containerCells({ ...object, spec: { template: object.template } }),
    labelsText(object.template?.metadata?.labels),
  ],
};
