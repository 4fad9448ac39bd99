import type { Mutation } from '../../../generated/admissionregistration/v1alpha1/types.ts';
import { type FieldError, required } from '../../contract/field-error.ts';
import { invalidShown } from '../../go-text/values.ts';

/** The member of the chosen type must be there, that of the other must not. */
export function patch({ patchType, applyConfiguration, jsonPatch }: Mutation): readonly FieldError[] {
  const members = { applyConfiguration, jsonPatch };
  const [name, other] =
    patchType === 'JSONPatch' ? (['jsonPatch', 'applyConfiguration'] as const) : (['applyConfiguration', 'jsonPatch'] as const);
  const wanted = members[name];
  const errors: FieldError[] = [];
  if (wanted === undefined) errors.push(required(`.${name}`, `must be specified when patchType is ${patchType}`));
  else if ((wanted.expression ?? '').trim() === '') errors.push(required(`.${name}.expression`));
  if (members[other] !== undefined)
    errors.push(invalidShown(`.${other}`, `"{${other}}"`, `must not be specified when patchType is ${patchType}`));
  return errors;
}
