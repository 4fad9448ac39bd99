import type { MutatingAdmissionPolicy } from '../../../generated/admissionregistration/v1alpha1/types.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import { authorizePolicy } from './parameter-access.ts';

export const rules: KindRules<MutatingAdmissionPolicy> = { authorizeValid: authorizePolicy };
