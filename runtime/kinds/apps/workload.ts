/** What the kinds that run pods of one template have in common: a selector, a template that it matches, pods that never end by themselves. */
import type { PodTemplateSpec, ReplicationControllerSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goEmptyMap } from '../../go-text/values.ts';
import { isUsable, type LabelSelector, matches, matchesLabels } from '../../selectors/label-selector.ts';
import { NONE } from '../../validation/joined.ts';
import { podTemplateWarnings } from '../core/pods/pod-warnings.ts';
import { hasNewGeneration } from '../generation.ts';

/** What specs of workloads have in common. */
interface WorkloadSpec {
  readonly selector?: LabelSelector | null;
  readonly template?: PodTemplateSpec;
}

/** The selector can be applied to labels at all; nothing more is said of the template of one that cannot. */
export const isUsableSelector = (selector: LabelSelector): boolean => isUsable(selector);

/** Of a usable selector: the pods of the template would not be its own. A selector that is absent matches nothing. */
export function selectorMatchesTemplate(spec: WorkloadSpec, _old: unknown, context: RuleContext): readonly FieldError[] {
  return matches(spec.selector, spec.template?.metadata?.labels) ? NONE : [otherLabels(spec.template, context)];
}

/** Of a kind that tells of a selector that cannot be applied elsewhere. */
export function usableSelectorMatchesTemplate(spec: WorkloadSpec, old: unknown, context: RuleContext): readonly FieldError[] {
  return isUsable(spec.selector) ? selectorMatchesTemplate(spec, old, context) : NONE;
}

/** Of a selector that is a map of labels. A template that is absent is told of by itself. */
export function labelsMatchTemplate(spec: ReplicationControllerSpec, _old: unknown, context: RuleContext): readonly FieldError[] {
  const { selector, template } = spec;
  return template === undefined || matchesLabels(selector ?? {}, template.metadata?.labels) ? NONE : [otherLabels(template, context)];
}

function otherLabels(template: PodTemplateSpec | undefined, { sent }: RuleContext): FieldError {
  const object = sent?.() as { readonly spec?: WorkloadSpec } | undefined;
  const labels = template?.metadata?.labels ?? goEmptyMap('map[string]string', object?.spec?.template?.metadata?.labels);
  return invalid('.template.metadata.labels', labels, '`selector` does not match template `labels`');
}

/** Said of the template when the object is created, and again with each change of what it asks for. */
export function templateWarnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): readonly string[] {
  return hasNewGeneration(object, old) ? podTemplateWarnings(object.spec.template, 'spec.template.', context) : [];
}
