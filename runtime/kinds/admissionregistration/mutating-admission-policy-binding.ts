import type { MutatingAdmissionPolicyBinding } from '../../../generated/admissionregistration/v1alpha1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizeBinding } from './parameter-access.ts';

export const rules: KindRules<MutatingAdmissionPolicyBinding> = { authorizeWrite: authorizeBinding('mutatingadmissionpolicies') };
