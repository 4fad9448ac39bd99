import type { ConfigMap, Secret } from '../../../generated/core/v1/types.ts';
import { type FieldError, forbidden } from '../../contract/field-error.ts';
import { deepEqual } from '../../schema/equal.ts';
import { NONE } from '../../validation/joined.ts';

type WithData = Pick<ConfigMap | Secret, 'immutable' | 'data'> & Pick<ConfigMap, 'binaryData'>;

/** A secret or a config map that was made immutable stays so, and keeps its data. */
export function kept(object: WithData, old: WithData | undefined): readonly FieldError[] {
  if (old?.immutable !== true) return NONE;
  const changed = (['data', 'binaryData'] as const).filter((member) => !deepEqual(object[member], old[member]));
  const members = object.immutable === true ? changed : ['immutable', ...changed];
  return members.map((member) => forbidden(`.${member}`, 'field is immutable when `immutable` is set'));
}
