import type { MutatingAdmissionPolicyBinding } from '../../../generated/admissionregistration/v1alpha1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeBinding, lacksRight } from './parameter-access.ts';

export const rules: KindRules<MutatingAdmissionPolicyBinding> = {
  // 1.32 puts the user where the verb should be, and the verb where the user should
  authorizeValid: authorizeBinding('mutatingadmissionpolicies', (user, verb) => lacksRight(verb, user)),
};
