import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { allNonNegative } from '../counts.ts';
import { validateBehavior } from './behavior.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';
import { validateMetrics, validateReference } from './metrics.ts';

/** Autoscalers in their newest and stored version, v2. */
export function rules(identity: Identity): KindRules {
  return {
    defaults: roundTripAnnotationDropper(identity),
    validate,
    validateStatusUpdate: ({ status }) => allNonNegative(status, 'status', ['currentReplicas', 'desiredReplicas']),
  };
}

function validate({ spec }: ApiObject, context: RuleContext): FieldError[] {
  const { minReplicas, maxReplicas } = spec;
  const lowest = context.featureEnabled('HPAScaleToZero') ? 0 : 1;
  const errors: FieldError[] = [];
  if (minReplicas < lowest) errors.push(invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${lowest}`));
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (maxReplicas < minReplicas) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  return [
    ...errors,
    ...validateReference(spec.scaleTargetRef, 'spec.scaleTargetRef'),
    ...validateMetrics(spec.metrics, minReplicas, 'spec.metrics'),
    ...validateBehavior(spec.behavior, 'spec.behavior'),
  ];
}
