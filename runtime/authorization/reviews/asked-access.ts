/** Turns an access review into a question for authorizers. */
import type { User } from '../../contract/request-context.ts';
import type { FieldRequirement } from '../../selectors/field-selector-text.ts';
import type { LabelRequirement } from '../../selectors/label-selector-text.ts';
import type { AccessAttributes } from '../authorizer.ts';
import { type AskedSelector, fieldSelectorAttributes, labelSelectorAttributes, type SelectorAttributes } from './selector-attributes.ts';

/** The `spec` of an access review, as far as it is needed. */
export interface AskedAccess {
  readonly resourceAttributes?: AskedResource;
  readonly nonResourceAttributes?: AskedPath;
}

interface AskedResource {
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespace?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: AskedSelector;
  readonly labelSelector?: AskedSelector;
}

interface AskedPath {
  readonly path?: string;
  readonly verb?: string;
}

/**
 * @param asked valid: it has attributes of one of the two forms
 * @returns the question for authorizers, and a sentence for each selector that had to be shortened
 */
export function accessAttributes(asked: AskedAccess, user: User): { attributes: AccessAttributes; problems: readonly string[] } {
  const { resourceAttributes: resource, nonResourceAttributes: path } = asked;
  if (resource === undefined) return { attributes: pathAttributes(path ?? {}, user), problems: [] };
  const fields = fieldSelectorAttributes(resource.fieldSelector);
  const labels = labelSelectorAttributes(resource.labelSelector);
  return {
    attributes: resourceAttributes(resource, user, fields, labels),
    problems: [...problem('fieldSelector', fields), ...problem('labelSelector', labels)],
  };
}

function resourceAttributes(
  asked: AskedResource,
  user: User,
  fields: SelectorAttributes<FieldRequirement> | undefined,
  labels: SelectorAttributes<LabelRequirement> | undefined,
): AccessAttributes {
  const { verb = '', group = '', version = '', namespace = '', resource = '', subresource = '', name = '' } = asked;
  return {
    user,
    isResource: true,
    verb,
    path: '',
    group,
    version: version === '' ? '*' : version,
    namespace,
    resource,
    subresource,
    name,
    ...(isLimited(fields) && { fieldSelector: fields.requirements }),
    ...(isLimited(labels) && { labelSelector: labels.requirements }),
  };
}

function isLimited<T>(selector: SelectorAttributes<T> | undefined): selector is SelectorAttributes<T> {
  return selector !== undefined && selector.requirements.length > 0;
}

function pathAttributes({ path = '', verb = '' }: AskedPath, user: User): AccessAttributes {
  return { user, isResource: false, verb, path, group: '', version: '', namespace: '', resource: '', subresource: '', name: '' };
}

function problem(member: string, selector: SelectorAttributes<unknown> | undefined): readonly string[] {
  if (selector === undefined || !selector.failed) return [];
  return [`spec.resourceAttributes.${member} ${selector.requirements.length > 0 ? 'partially ignored' : 'ignored'} due to parse error`];
}
