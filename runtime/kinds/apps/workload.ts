/** What the kinds that run pods of one template have in common: a selector, a template that it matches, pods that never end by themselves. */
import type { PodTemplateSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, Notation } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';
import { isUsable, type LabelSelector, matches } from '../../selectors/label-selector.ts';
import { podTemplateWarnings } from '../core/pod-warnings.ts';
import { NONE } from '../joined.ts';

/** What specs of workloads have in common. */
interface WorkloadSpec {
  readonly selector?: LabelSelector | null;
  readonly template?: PodTemplateSpec;
}

/** A map of labels that is not there, as Go prints it. */
const NO_LABELS = new Notation('map[string]string(nil)');

/** The selector can be applied to labels at all; nothing more is said of the template of one that cannot. */
export function usableSelector({ selector }: WorkloadSpec): readonly FieldError[] {
  return isUsable(selector) ? NONE : [invalid('.selector', selector, 'invalid label selector')];
}

/** Of a usable selector: the pods of the template would not be its own. A selector that is absent matches nothing. */
export function selectorMatchesTemplate({ selector, template }: WorkloadSpec): readonly FieldError[] {
  const labels = template?.metadata?.labels;
  if (matches(selector, labels)) return NONE;
  return [invalid('.template.metadata.labels', labels ?? NO_LABELS, '`selector` does not match template `labels`')];
}

/** Of a DaemonSet: a selector that cannot be applied has been told of already. */
export function usableSelectorMatchesTemplate(spec: WorkloadSpec): readonly FieldError[] {
  return isUsable(spec.selector) ? selectorMatchesTemplate(spec) : NONE;
}

/** Pods are named after their workload, and names with dots make poor host names. Said once, when the object is created. */
export function nameWarnings(object: ApiObject, old: ApiObject | undefined): string[] {
  const messages = old === undefined ? dnsLabel(object.metadata.name ?? '') : [];
  if (messages.length === 0) return [];
  return [
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ' +
      `a DNS label is recommended: [${messages.join(' ')}]`,
  ];
}

/** Said of the template when the object is created, and again with each change of what it asks for. */
export function templateWarnings(object: ApiObject, old: ApiObject | undefined, context: RuleContext): readonly string[] {
  const asks = old === undefined || object.metadata.generation !== old.metadata.generation;
  return asks ? podTemplateWarnings(object.spec.template, 'spec.template.', context) : [];
}
