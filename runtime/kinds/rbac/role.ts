import type { FieldError } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { authorizeRole } from './escalation.ts';
import { validatePolicyRules } from './policy-rule.ts';

const validate = (role: ApiObject): FieldError[] => validatePolicyRules(role.rules, true, 'rules');

export const rules: KindRules = {
  authorizeWrite: authorizeRole,
  validate,
  /** 1.32 validates an updated Role twice and reports each finding twice. */
  validateUpdate: validate,
};
