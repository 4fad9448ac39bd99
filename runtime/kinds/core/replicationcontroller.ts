import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { matchesLabels } from '../../selectors/label-selector.ts';
import { nameWarnings } from '../apps/workload.ts';
import { atMost } from '../counts.ts';
import type { Struct } from '../struct.ts';
import { notNegative } from './numbers.ts';
import { validatePodTemplate } from './pod-template-validation.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

function validate(object: ApiObject, context: RuleContext): FieldError[] {
  const spec: Struct = object.spec ?? {};
  return [
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...(Object.keys(spec.selector ?? {}).length === 0 ? [required('spec.selector')] : []),
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...validateTemplate(spec, 'spec.template', context),
  ];
}

function validateTemplate({ template, selector }: Struct, path: string, context: RuleContext): FieldError[] {
  if (template === undefined) return [required(path)];
  const labels = template.metadata?.labels;
  const { restartPolicy = '', activeDeadlineSeconds } = template.spec ?? {};
  return [
    ...(matchesLabels(selector ?? {}, labels)
      ? []
      : [invalid(`${path}.metadata.labels`, labels ?? {}, '`selector` does not match template `labels`')]),
    ...validatePodTemplate(template, path, context),
    ...(restartPolicy === 'Always' ? [] : [notSupported(`${path}.spec.restartPolicy`, restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.spec.activeDeadlineSeconds`, 'activeDeadlineSeconds in ReplicationController is not Supported')]),
  ];
}

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'];

function validateStatusUpdate({ status }: ApiObject): FieldError[] {
  const given: Struct = status ?? {};
  return [
    ...['replicas', ...PARTS, 'observedGeneration'].flatMap((count) => notNegative(given[count], `status.${count}`)),
    ...atMost(given, 'status', PARTS, given.replicas, 'cannot be greater than status.replicas'),
    ...atMost(given, 'status', ['availableReplicas'], given.readyReplicas, 'cannot be greater than readyReplicas'),
  ];
}

export const rules: KindRules = {
  validate,
  /** 1.32 validates an updated controller twice and reports each finding twice. */
  validateUpdate: (object, _old, context) => validate(object, context),
  validateStatusUpdate,
  warnings: (object, old, context) => [
    ...nameWarnings(object, old),
    ...podTemplateWarnings(object.spec?.template, 'spec.template.', context),
  ],
};
