/** What access reviews must say; the paths and messages are those of release 1.32. */
import { type FieldError, forbidden, invalid, required } from '../../contract/field-error.ts';
import type { ApiObject, ObjectMeta } from '../../contract/object.ts';
import { labelValue } from '../../formats/labels.ts';
import { validateLabelName } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';

export function validateSelfReview({ spec, metadata }: ApiObject): FieldError[] {
  return [...validateAttributes(spec), ...validateSelectors(spec.resourceAttributes), ...validateEmpty(metadata)];
}

export function validateSubjectReview({ spec, metadata }: ApiObject): FieldError[] {
  return [...validateSubjectSpec(spec), ...validateEmpty(metadata)];
}

/** In one namespace, which stands in the metadata and must be the one that is asked about. */
export function validateLocalReview({ spec, metadata }: ApiObject): FieldError[] {
  const { namespace, ...rest } = metadata;
  const { resourceAttributes, nonResourceAttributes } = spec;
  const errors = [...validateSubjectSpec(spec), ...validateEmpty(rest, 'must be empty except for namespace')];
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== (namespace ?? ''))
    errors.push(invalid('spec.resourceAttributes.namespace', resourceAttributes.namespace ?? '', 'must match metadata.namespace'));
  if (nonResourceAttributes !== undefined)
    errors.push(invalid('spec.nonResourceAttributes', nonResourceAttributes, 'disallowed on this kind of request'));
  return errors;
}

function validateSubjectSpec(spec: Struct): FieldError[] {
  const errors = validateAttributes(spec);
  if (!spec.user && (spec.groups ?? []).length === 0)
    errors.push(invalid('spec.user', '', 'at least one of user or group must be specified'));
  return [...errors, ...validateSelectors(spec.resourceAttributes)];
}

function validateAttributes({ resourceAttributes, nonResourceAttributes }: Struct): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined)
    return [invalid('spec.nonResourceAttributes', nonResourceAttributes, 'cannot be specified in combination with resourceAttributes')];
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  return [invalid('spec.resourceAttributes', 'null', 'exactly one of nonResourceAttributes or resourceAttributes must be specified')];
}

function validateEmpty(metadata: ObjectMeta, detail = 'must be empty'): FieldError[] {
  const named = Object.entries(metadata).some(([member, value]) => member !== 'managedFields' && value !== undefined && value !== null);
  return named ? [invalid('metadata', metadata, detail)] : [];
}

function validateSelectors(attributes: Struct | undefined): FieldError[] {
  const path = 'spec.resourceAttributes';
  return [
    ...validateSelector(attributes?.fieldSelector, `${path}.fieldSelector`, validateFieldRequirement),
    ...validateSelector(attributes?.labelSelector, `${path}.labelSelector`, validateLabelRequirement),
  ];
}

/** A selector in one of two forms: as text, or in parts. */
function validateSelector(
  selector: Struct | undefined,
  path: string,
  validateRequirement: (requirement: Struct, path: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0)
    errors.push(invalid(`${path}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'));
  if (rawSelector === '' && requirements.length === 0)
    errors.push(required(`${path}.requirements`, `when ${path} is specified, requirements or rawSelector is required`));
  requirements.forEach((requirement: Struct, index: number) => {
    errors.push(...validateRequirement(requirement, `${path}.requirements[${index}]`));
  });
  return errors;
}

function validateFieldRequirement(requirement: Struct, path: string): FieldError[] {
  const errors = requirement.key === '' ? [required(`${path}.key`, 'must be specified')] : [];
  return [...errors, ...validateOperator(requirement, path)];
}

function validateLabelRequirement(requirement: Struct, path: string): FieldError[] {
  const values: string[] = requirement.values ?? [];
  return [
    ...validateOperator(requirement, path),
    ...validateLabelName(requirement.key, `${path}.key`),
    ...values.flatMap((value, index) => labelValue(value).map((message) => invalid(`${path}.values[${index}]`, value, message))),
  ];
}

/** Operators of later releases pass: a newer server may ask an older one, and what is not understood is left out of the question. */
function validateOperator({ operator, values }: Struct, path: string): FieldError[] {
  const count = values?.length ?? 0;
  if ((operator === 'In' || operator === 'NotIn') && count === 0)
    return [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
  if ((operator === 'Exists' || operator === 'DoesNotExist') && count > 0)
    return [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
  return [];
}
