/** Labels, annotations and label selectors. */
import type { LabelSelector, LabelSelectorRequirement } from '../../../generated/meta/v1/types.ts';
import { type FieldError, forbidden, invalid, required, tooLong } from '../../contract/field-error.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem, invalidAs } from '../findings.ts';

/** Bytes of all keys and values of an object's annotations together. */
export const ANNOTATIONS_LIMIT = 256 * 1024;

function validateLabelName(name: string, path: string): readonly FieldError[] {
  return invalidAs(qualifiedName(name), path, name);
}

/** All errors stand at the path of the map, which is how 1.32 reports them. */
export function validateLabels(labels: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (labels === undefined) return NONE;
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] as string;
    for (const message of qualifiedName(key)) errors.push(invalid(path, key, message));
    for (const message of labelValue(value)) errors.push(invalid(path, value, message));
  }
  return errors;
}

export function validateAnnotations(annotations: Readonly<Record<string, string>> | undefined, path: string): readonly FieldError[] {
  if (annotations === undefined) return NONE;
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

export function validateLabelSelector(selector: LabelSelector | null | undefined, path: string): readonly FieldError[] {
  if (selector === undefined || selector === null) return NONE;
  return joined(
    validateLabels(selector.matchLabels, `${path}.matchLabels`),
    eachItem(selector.matchExpressions, `${path}.matchExpressions`, validateRequirement),
  );
}

function validateRequirement(requirement: LabelSelectorRequirement, path: string): readonly FieldError[] {
  const { key = '', values } = requirement;
  return joined(
    validateOperator(requirement, path),
    validateLabelName(key, `${path}.key`),
    eachItem(values, `${path}.values`, (value, at) => invalidAs(labelValue(value), at, value)),
  );
}

/** The operators that selectors of labels and of nodes have in common. */
function validateOperator({ operator, values }: Partial<LabelSelectorRequirement>, path: string): readonly FieldError[] {
  const count = (values ?? []).length;
  switch (operator) {
    case 'In':
    case 'NotIn':
      return count > 0 ? NONE : [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return count === 0 ? NONE : [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(`${path}.operator`, operator ?? '', 'not a valid selector operator')];
  }
}
