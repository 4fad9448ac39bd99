/** Makes the access reviews that are sent to a webhook. */

import type { FieldRequirement } from '../../selectors/field-selector-text.ts';
import type { LabelRequirement } from '../../selectors/label-selector-text.ts';
import type { AccessAttributes } from '../authorizer.ts';

/** `spec` of a SubjectAccessReview of v1, without empty members. */
export type ReviewSpec = Readonly<Record<string, unknown>>;

export function reviewSpec(attributes: AccessAttributes): ReviewSpec {
  const { user, isResource, verb, path } = attributes;
  return {
    ...(isResource
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: { ...given('path', path), ...given('verb', verb) } }),
    ...given('user', user.name),
    ...(user.groups.length > 0 && { groups: user.groups }),
    ...(Object.keys(user.extra).length > 0 && { extra: user.extra }),
    ...given('uid', user.uid),
  };
}

function resourceAttributes({ namespace, verb, group, version, resource, subresource, name, ...rest }: AccessAttributes): object {
  const { fieldSelector, labelSelector } = rest;
  const named = { namespace, verb, group, version, resource, subresource, name };
  return {
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value !== '')),
    ...selected('fieldSelector', fieldSelector?.map(fieldRequirement)),
    ...selected('labelSelector', labelSelector?.flatMap(labelRequirement)),
  };
}

/** A selector without any requirement is left out. */
function selected(member: string, requirements: readonly object[] = []): object {
  return requirements.length === 0 ? {} : { [member]: { requirements } };
}

function given(member: string, value: string): object {
  return value === '' ? {} : { [member]: value };
}

function fieldRequirement({ field, operator, value }: FieldRequirement): object {
  return { key: field, operator: operator === '!=' ? 'NotIn' : 'In', values: [value] };
}

const OPERATORS: Readonly<Record<string, string>> = {
  in: 'In',
  '=': 'In',
  '==': 'In',
  notin: 'NotIn',
  '!=': 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** Reviews have no operators for comparisons of numbers, so these are left out, which asks for more. */
function labelRequirement({ key, operator, values }: LabelRequirement): object[] {
  const said = OPERATORS[operator];
  if (said === undefined) return [];
  return [{ key, operator: said, ...(values.length > 0 && { values }) }];
}

/** In v1beta1 the member for groups is called `group`. */
export function specOfVersion(spec: ReviewSpec, version: 'v1' | 'v1beta1'): ReviewSpec {
  if (version === 'v1' || spec.groups === undefined) return spec;
  const { groups, ...rest } = spec;
  return { ...rest, group: groups };
}
