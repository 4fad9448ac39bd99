import type { ValidatingAdmissionPolicyBinding } from '../../../generated/admissionregistration/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { NONE } from '../../validation/joined.ts';
import { authorizeBinding } from './parameter-access.ts';

const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';

export const rules: KindRules<ValidatingAdmissionPolicyBinding> = {
  authorizeValid: authorizeBinding('validatingadmissionpolicies'),
  /** Release 1.26 knew one action. */
  completeStored({ spec }) {
    if (spec !== undefined) spec.validationActions ??= ['Deny'];
  },
};

export function notDenyAndWarn(actions: readonly string[]): readonly FieldError[] {
  if (!actions.includes('Deny') || !actions.includes('Warn')) return NONE;
  return [invalidShown('', goStrings(actions, 'admissionregistration.ValidationAction'), DENY_AND_WARN)];
}
