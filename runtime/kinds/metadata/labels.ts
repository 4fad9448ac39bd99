/** Labels, annotations and label selectors. */
import { type FieldError, forbidden, invalid, required, tooLong } from '../../contract/field-error.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import type { Struct } from '../struct.ts';

/** Bytes of all keys and values of an object's annotations together. */
export const ANNOTATIONS_LIMIT = 256 * 1024;

const NO_ERRORS: readonly FieldError[] = [];

export function validateLabelName(name: string, path: string): FieldError[] {
  return qualifiedName(name).map((message) => invalid(path, name, message));
}

/** All errors stand at the path of the map, which is how 1.32 reports them. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (labels === undefined) return NO_ERRORS;
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] as string;
    for (const message of qualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of labelValue(value)) errors.push(invalid(path, value, message));
  }
  return errors;
}

export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (annotations === undefined) return NO_ERRORS;
  const errors: FieldError[] = [];
  let units = 0;
  for (const key in annotations) {
    for (const message of qualifiedName(key.toLowerCase())) errors.push(invalid(path, key, message));
    units += key.length + (annotations[key] as string).length;
  }
  if (units * BYTES_PER_UNIT > ANNOTATIONS_LIMIT && bytesOf(annotations) > ANNOTATIONS_LIMIT) errors.push(tooLong(path, ANNOTATIONS_LIMIT));
  return errors;
}

/** UTF-8 bytes of a UTF-16 code unit at most. */
const BYTES_PER_UNIT = 3;

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const key in annotations) bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string);
  return bytes;
}

export function validateLabelSelector(selector: Struct | undefined, path: string): readonly FieldError[] {
  if (selector === undefined || selector === null) return NO_ERRORS;
  const errors = [...validateLabels(selector.matchLabels, `${path}.matchLabels`)];
  for (const [index, requirement] of (selector.matchExpressions ?? []).entries())
    errors.push(...validateRequirement(requirement, `${path}.matchExpressions[${index}]`));
  return errors;
}

function validateRequirement(requirement: Struct, path: string): FieldError[] {
  const errors = operatorErrors(requirement, path);
  errors.push(...validateLabelName(requirement.key ?? '', `${path}.key`));
  for (const [index, value] of (requirement.values ?? []).entries())
    for (const message of labelValue(value)) errors.push(invalid(`${path}.values[${index}]`, value, message));
  return errors;
}

function operatorErrors(requirement: Struct, path: string): FieldError[] {
  const values = requirement.values ?? [];
  switch (requirement.operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0 ? [] : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, requirement.operator ?? '', 'not a valid selector operator')];
  }
}
