/** How a job finds its pods: by a selector that the server makes from the job's uid, unless the user asks for `manualSelector`. */
import type { Job } from '../../../generated/batch/v1/types.ts';
import type { PodTemplateSpec } from '../../../generated/core/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isUsable, matches } from '../../selectors/label-selector.ts';

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

/** A job that was stored may be from before labels with prefixes: it does without them. */
export function generatedSelector(object: Job, old: Job | undefined, context: RuleContext): readonly FieldError[] {
  const { uid = '', name = '' } = object.metadata;
  const expected: Labels = { [OLD_UID]: uid, [OLD_NAME]: name };
  if (old === undefined || hasPrefixedLabels(old, context))
    Object.assign(expected, { [context.text(UID)]: uid, [context.text(NAME)]: name });
  const { selector, template } = object.spec ?? {};
  const errors = Object.entries(expected).flatMap(([key, value]) => hasLabel(template, key, value));
  if (isUsable(selector) && !matches(selector, expected)) errors.push(invalid('.spec.selector', selector, '`selector` not auto-generated'));
  return errors;
}

/** Whether the template has both labels with the system's prefix. */
function hasPrefixedLabels({ spec }: Job, context: RuleContext): boolean {
  const labels = spec?.template.metadata?.labels ?? {};
  return labels[context.text(NAME)] !== undefined && labels[context.text(UID)] !== undefined;
}

function hasLabel(template: PodTemplateSpec | undefined, key: string, value: string): FieldError[] {
  const labels = template?.metadata?.labels ?? {};
  const path = `.spec.template.metadata.labels[${key}]`;
  if (labels[key] === undefined) return [required(path, `must be '${value}'`)];
  return labels[key] === value ? [] : [invalid(path, labels, `must be '${value}'`)];
}
