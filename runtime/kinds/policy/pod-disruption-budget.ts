import { type FieldError, invalid, notSupported } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { atMostAll, type IntOrString, intOrPercent } from '../../formats/percents.ts';
import { invalidParts } from '../core/findings.ts';
import { allNonNegative } from '../counts.ts';
import { validateConditions } from '../metadata/conditions.ts';
import { validateLabelSelector } from '../metadata/labels.ts';
import { dropMarker, markerLabel } from './empty-selector.ts';

/** Bounds on the pods that may be evicted at a time. */
export function rules(identity: Identity): KindRules {
  const label = markerLabel(identity);
  return {
    defaults: (object) => dropMarker(object, label),
    validate,
    validateStatusUpdate,
  };
}

const POLICIES = ['AlwaysAllow', 'IfHealthyBudget'];

function validate({ spec = {} }: ApiObject): readonly FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy: policy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined)
    errors.push(invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set'));
  if (minAvailable !== undefined) errors.push(...validateBound(minAvailable, 'spec.minAvailable'));
  if (maxUnavailable !== undefined) errors.push(...validateBound(maxUnavailable, 'spec.maxUnavailable'));
  errors.push(...validateLabelSelector(selector, 'spec.selector'));
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, POLICIES));
  return errors;
}

/** A number, or a percentage of all pods. */
function validateBound(value: IntOrString, path: string): readonly FieldError[] {
  return [...invalidParts(intOrPercent(value), path), ...invalidParts(atMostAll(value), path)];
}

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'];

/** v1beta1 never looked at the counts, and what it took must stay writable. */
function validateStatusUpdate({ status = {} }: ApiObject, _old: ApiObject, { requestVersion }: RuleContext): readonly FieldError[] {
  const errors = validateConditions(status.conditions, 'status.conditions');
  return requestVersion === 'policy/v1beta1' ? errors : [...errors, ...allNonNegative(status, 'status', COUNTS)];
}
