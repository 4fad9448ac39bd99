/** What the kinds that run pods of one template have in common: a selector, a template that it matches, pods that never end by themselves. */
import { type FieldError, forbidden, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dnsLabel } from '../../formats/names.ts';
import { isEmpty, isUsable, matches, selectorText } from '../../selectors/label-selector.ts';
import { validatePodTemplate } from '../core/pod-template-validation.ts';
import { podTemplateWarnings } from '../core/pod-warnings.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

/** @param emptyDetail what is said of a selector that selects everything */
export function validateSelector(selector: Struct | null | undefined, path: string, emptyDetail: string): FieldError[] {
  if (!selector) return [required(path)];
  return [...validateLabelSelector(selector, path), ...(isEmpty(selector) ? [invalid(path, selector, emptyDetail)] : [])];
}

/** Of a usable selector: the pods of the template would not be its own. A selector that is absent matches nothing. */
export function validateTemplateLabels(selector: Struct | null | undefined, template: Struct, path: string): FieldError[] {
  const labels = template?.metadata?.labels;
  return matches(selector, labels) ? [] : [invalid(`${path}.metadata.labels`, labels ?? {}, '`selector` does not match template `labels`')];
}

/** @param kind as it is named to the user */
export function validateRunsForever(template: Struct, path: string, kind: string): FieldError[] {
  const errors: FieldError[] = [];
  const spec = template?.spec ?? {};
  if (spec.restartPolicy !== 'Always') errors.push(notSupported(`${path}.spec.restartPolicy`, spec.restartPolicy ?? '', ['Always']));
  if (spec.activeDeadlineSeconds !== undefined)
    errors.push(forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  return errors;
}

/** Selector and template of a ReplicaSet, and of a Deployment, which makes ReplicaSets. */
export function validateReplicaSetTemplate(spec: Struct, path: string, context: RuleContext): FieldError[] {
  const errors = validateSelector(spec.selector, `${path}.selector`, 'empty selector is invalid for deployment');
  if (!isUsable(spec.selector)) return [...errors, invalid(`${path}.selector`, spec.selector, 'invalid label selector')];
  return [
    ...errors,
    ...validateTemplateLabels(spec.selector, spec.template, `${path}.template`),
    ...validatePodTemplate(spec.template, `${path}.template`, context),
    ...validateRunsForever(spec.template, `${path}.template`, 'ReplicaSet'),
  ];
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

/** Cells: names of the template's containers, then their images. */
export function containerCells(object: ApiObject): [names: string, images: string] {
  const containers: Struct[] = object.spec?.template?.spec?.containers ?? [];
  return [containers.map((container) => container.name).join(','), containers.map((container) => container.image ?? '').join(',')];
}

/** Cell: the selector as text; `<none>` where it selects nothing or all. */
export function selectorCell(object: ApiObject): string {
  return selectorText(object.spec?.selector) || '<none>';
}
