/** The pace of scaling: how far and how fast an autoscaler may change the number of pods, up and down. */
import { type FieldError, invalid, notSupported, required } from '../../contract/field-error.ts';
import type { Struct } from '../struct.ts';

const MAX_PERIOD_SECONDS = 1800;
const MAX_WINDOW_SECONDS = 3600;
const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];

export function validateBehavior(behavior: Struct | undefined, path: string): FieldError[] {
  if (behavior === undefined) return [];
  return [...validateRules(behavior.scaleUp, `${path}.scaleUp`), ...validateRules(behavior.scaleDown, `${path}.scaleDown`)];
}

function validateRules(rules: Struct | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [] } = rules;
  const errors: FieldError[] = [];
  if (seconds < 0) errors.push(invalid(`${path}.stabilizationWindowSeconds`, seconds, 'must be greater than or equal to zero'));
  if (seconds > MAX_WINDOW_SECONDS)
    errors.push(invalid(`${path}.stabilizationWindowSeconds`, seconds, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  if (selectPolicy !== undefined && !SELECT_POLICIES.includes(selectPolicy))
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, SELECT_POLICIES));
  if (policies.length === 0) errors.push(required(`${path}.policies`, 'must specify at least one Policy'));
  policies.forEach((policy: Struct, index: number) => {
    errors.push(...validatePolicy(policy, `${path}.policies[${index}]`));
  });
  return errors;
}

function validatePolicy({ type, value, periodSeconds }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!POLICY_TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, POLICY_TYPES));
  if (value <= 0) errors.push(invalid(`${path}.value`, value, 'must be greater than zero'));
  if (periodSeconds <= 0) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero'));
  if (periodSeconds > MAX_PERIOD_SECONDS)
    errors.push(invalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  return errors;
}
