import type { BasicDevice } from '../../../generated/resource/v1beta1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';
import { sizeOf } from '../../validation/values.ts';

/** attributes and capacities of a device together */
const PROPERTIES_LIMIT = 32;

export function propertyCount({ attributes, capacity }: BasicDevice): readonly FieldError[] {
  const count = sizeOf(attributes) + sizeOf(capacity);
  if (count <= PROPERTIES_LIMIT) return NONE;
  return [invalid('', count, `the total number of attributes and capacities must not exceed ${PROPERTIES_LIMIT}`)];
}
