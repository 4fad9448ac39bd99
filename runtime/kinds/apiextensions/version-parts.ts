/** Printer columns, subresources and deprecation of a version. */
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
} from '../../../generated/apiextensions/v1/types.ts';
import { type FieldError, invalid, required } from '../../contract/field-error.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const LONGEST_WARNING = 256;

export function validateColumn({ name, type, format, jsonPath }: CustomResourceColumnDefinition, path: string): FieldError[] {
  const types = `must be one of ${COLUMN_TYPES.join(',')}`;
  const errors: FieldError[] = [];
  if (!name) errors.push(required(`${path}.name`));
  if (!type) errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${path}.type`, type, types));
  if (format && !COLUMN_FORMATS.includes(format))
    errors.push(invalid(`${path}.format`, format, `must be one of ${COLUMN_FORMATS.join(',')}`));
  if (!jsonPath) errors.push(required(`${path}.JSONPath`));
  else errors.push(...validateSimplePath(jsonPath, `${path}.JSONPath`));
  return errors;
}

export function validateSubresources(subresources: CustomResourceSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (scale === undefined) return [];
  return [
    ...validateReplicasPath(scale.specReplicasPath, '.spec', `${path}.scale.specReplicasPath`),
    ...validateReplicasPath(scale.statusReplicasPath, '.status', `${path}.scale.statusReplicasPath`),
    ...validateSelectorPath(scale.labelSelectorPath, `${path}.scale.labelSelectorPath`),
  ];
}

function validateReplicasPath(value: string | undefined, root: string, path: string): FieldError[] {
  if (!value) return [required(path)];
  const errors = validateSimplePath(value, path);
  if (errors.length > 0 || value.startsWith(`${root}.`)) return errors;
  return [invalid(path, value, `should be a json path under ${root}`)];
}

function validateSelectorPath(value: string | undefined, path: string): FieldError[] {
  if (!value) return [];
  const errors = validateSimplePath(value, path);
  if (errors.length > 0 || value.startsWith('.spec.') || value.startsWith('.status.')) return errors;
  return [invalid(path, value, 'should be a json path under either .spec or .status')];
}

function validateSimplePath(value: string, path: string): FieldError[] {
  return value.startsWith('.') ? [] : [invalid(path, value, 'must be a simple json path starting with .')];
}

/** A warning is one line of printable text, and only for a version that is deprecated. */
export function validateDeprecation(
  { deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion,
  path: string,
): FieldError[] {
  if (warning === undefined) return [];
  const problems: string[] = [];
  if (deprecated !== true) problems.push('can only be set for deprecated versions');
  if (Buffer.byteLength(warning) > LONGEST_WARNING) problems.push(`must be <= ${LONGEST_WARNING} characters long`);
  if (warning === '') problems.push('must not be an empty string');
  const unprintable = [...warning].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (unprintable !== -1)
    problems.push(`must only contain printable UTF-8 characters; non-printable character found at index ${unprintable}`);
  return problems.map((problem) => invalid(`${path}.deprecationWarning`, warning, problem));
}
