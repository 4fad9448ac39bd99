/** How a job finds its pods: by a selector that the server makes from the job's uid, unless the user asks for `manualSelector`. */
import type { JobSpec } from '../../../generated/batch/v1/types.ts';
import type { PodTemplateSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isUsable, matches } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../metadata/labels.ts';

type Labels = Record<string, string>;

const UID = 'batch.${labelDomain}/controller-uid';
const NAME = 'batch.${labelDomain}/job-name';
/** Names from before labels of the system had a prefix; programs still select by them. */
const OLD_UID = 'controller-uid';
const OLD_NAME = 'job-name';

/** Labels the template and selects by them. What the user set already stays, and is refused in validation where it contradicts. */
export function generateSelector(object: ApiObject, context: RuleContext): void {
  const { metadata, spec } = object;
  if (spec.manualSelector === true) return;
  const { name = '', uid = '' } = metadata;
  const given: Labels | undefined = spec.template.metadata?.labels;
  const labels = sorted({ [context.text(NAME)]: name, [OLD_NAME]: name, [context.text(UID)]: uid, [OLD_UID]: uid, ...given });
  // A job without labels takes over those of its template, the generated ones included.
  if (metadata.labels === given || Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.template.metadata = { creationTimestamp: null, ...spec.template.metadata, labels };
  spec.selector = { ...spec.selector, matchLabels: sorted({ [context.text(UID)]: uid, ...spec.selector?.matchLabels }) };
}

/** Maps are written in the order of their keys. */
function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @param prefixed whether labels with the system's prefix must be there; jobs from before they came do without */
export function validateGeneratedSelector(object: ApiObject, prefixed: boolean, context: RuleContext): FieldError[] {
  const { metadata, spec } = object;
  if (spec.manualSelector === true || spec.selector === undefined) return [];
  const { uid = '', name = '' } = metadata;
  const old = [[OLD_UID, uid] as const, [OLD_NAME, name] as const];
  const expected = prefixed ? [...old, [context.text(UID), uid] as const, [context.text(NAME), name] as const] : old;
  const errors = uid === '' ? [required('.metadata.uid')] : [];
  for (const [key, value] of expected) errors.push(...hasLabel(spec.template, key, value));
  if (isUsable(spec.selector) && !matches(spec.selector, Object.fromEntries(expected)))
    errors.push(invalid('.spec.selector', spec.selector, '`selector` not auto-generated'));
  return errors;
}

/** Whether the template has both labels with the system's prefix. */
export function hasPrefixedLabels(object: ApiObject, context: RuleContext): boolean {
  const labels = object.spec.template?.metadata?.labels ?? {};
  return labels[context.text(NAME)] !== undefined && labels[context.text(UID)] !== undefined;
}

function hasLabel(template: PodTemplateSpec, key: string, value: string): FieldError[] {
  const labels = template?.metadata?.labels ?? {};
  const path = `.spec.template.metadata.labels[${key}]`;
  if (labels[key] === undefined) return [required(path, `must be '${value}'`)];
  return labels[key] === value ? [] : [invalid(path, labels, `must be '${value}'`)];
}

export function validateSelector(spec: JobSpec, path: string): FieldError[] {
  const { selector, template } = spec;
  const labels = template?.metadata?.labels;
  return [
    ...(selector === undefined ? [required(`${path}.selector`)] : validateLabelSelector(selector, `${path}.selector`)),
    ...(isUsable(selector) && !matches(selector, labels)
      ? [invalid(`${path}.template.metadata.labels`, labels ?? {}, '`selector` does not match template `labels`')]
      : []),
  ];
}
