import type { ReplicationControllerSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import { matchesLabels } from '../../selectors/label-selector.ts';
import { nameWarnings } from '../apps/workload.ts';
import { NONE } from '../joined.ts';
import { podTemplateWarnings } from './pod-warnings.ts';

/** A template that is absent is told of by itself. */
export function selectorMatchesTemplate({ selector, template }: ReplicationControllerSpec): readonly FieldError[] {
  const labels = template?.metadata?.labels;
  if (template === undefined || matchesLabels(selector ?? {}, labels)) return NONE;
  return [invalid('.template.metadata.labels', labels ?? {}, '`selector` does not match template `labels`')];
}

export const rules: KindRules = {
  warnings: (object, old, context) => [
    ...nameWarnings(object, old),
    ...podTemplateWarnings(object.spec?.template, 'spec.template.', context),
  ],
};
