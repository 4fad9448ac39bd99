import type { CustomResourceDefinition } from '../../../generated/apiextensions/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { unchanged } from '../immutable.ts';
import { isConditionTrue } from './conditions.ts';

/** What the storage depends on cannot change once objects may exist; what the name is made of never can. */
export function fixedMembers({ spec }: CustomResourceDefinition, old: CustomResourceDefinition | undefined): readonly FieldError[] {
  if (old === undefined) return NONE;
  const established = isConditionTrue(old, 'Established');
  return joined(
    established ? unchanged(spec.scope, old.spec.scope, '.spec.scope') : NONE,
    established ? unchanged(spec.names.kind, old.spec.names.kind, '.spec.names.kind') : NONE,
    unchanged(spec.group, old.spec.group, '.spec.group'),
    unchanged(spec.names.plural, old.spec.names.plural, '.spec.names.plural'),
  );
}
