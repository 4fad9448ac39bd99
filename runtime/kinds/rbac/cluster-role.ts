import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isUsable } from '../../selectors/label-selector.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import type { Struct } from '../struct.ts';
import { authorizeRole } from './escalation.ts';
import { validatePolicyRules } from './policy-rule.ts';

function validate(role: ApiObject): FieldError[] {
  return [...validatePolicyRules(role.rules, false, 'rules'), ...validateAggregation(role.aggregationRule, 'aggregationRule')];
}

/** Selects the cluster roles whose rules a controller gathers in this one. */
function validateAggregation(aggregation: Struct | undefined, path: string): FieldError[] {
  if (aggregation === undefined) return [];
  const selectors: Struct[] = aggregation.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    return [required(`${path}.clusterRoleSelectors`, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return selectors.flatMap((selector, index) => {
    const at = `${path}.clusterRoleSelectors[${index}]`;
    // 1.32 shows the selector that it could not make, not the one it was given.
    return [...validateLabelSelector(selector, at), ...(isUsable(selector) ? [] : [invalid(at, 'null', 'invalid label selector.')])];
  });
}

export const rules: KindRules = {
  authorizeWrite: authorizeRole,
  validate,
  /** 1.32 validates an updated ClusterRole twice and reports each finding twice. */
  validateUpdate: validate,
};
