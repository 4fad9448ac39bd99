import { type FieldError, notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { invalidShown } from '../../go-text/values.ts';
import { eachItem, neededOneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { validatePolicyHead } from './policies.ts';

const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];

function validate({ spec }: ApiObject): FieldError[] {
  return [
    ...validatePolicyHead(spec, 'spec'),
    ...((spec.mutations ?? []).length === 0 ? [required('spec.mutations', 'mutations must contain at least one item')] : []),
    ...eachItem<Struct>(spec.mutations, 'spec.mutations', validateMutation),
    ...neededOneOf(spec.reinvocationPolicy, 'spec.reinvocationPolicy', REINVOCATION_POLICIES),
  ];
}

function validateMutation({ patchType, applyConfiguration, jsonPatch }: Struct, path: string): FieldError[] {
  switch (patchType) {
    case undefined:
    case '':
      return [required(`${path}.patchType`)];
    case 'ApplyConfiguration':
      return validatePatch(patchType, [applyConfiguration, 'applyConfiguration'], [jsonPatch, 'jsonPatch'], path);
    case 'JSONPatch':
      return validatePatch(patchType, [jsonPatch, 'jsonPatch'], [applyConfiguration, 'applyConfiguration'], path);
    default:
      return [notSupported(`${path}.patchType`, patchType, PATCH_TYPES)];
  }
}

type Member = readonly [value: Struct | undefined, name: string];

/** The member of the chosen type must be there, that of the other must not. */
function validatePatch(type: string, [wanted, name]: Member, [other, otherName]: Member, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (wanted === undefined) errors.push(required(`${path}.${name}`, `must be specified when patchType is ${type}`));
  else if ((wanted.expression ?? '').trim() === '') errors.push(required(`${path}.${name}.expression`, 'expression is not specified'));
  if (other !== undefined)
    errors.push(invalidShown(`${path}.${otherName}`, `"{${otherName}}"`, `must not be specified when patchType is ${type}`));
  return errors;
}

export const rules: KindRules = {
  validate,
};
