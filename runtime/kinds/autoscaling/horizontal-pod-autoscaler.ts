import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, Now, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { age } from '../cells/age.ts';
import { allNonNegative } from '../counts.ts';
import { completeBehavior, validateBehavior } from './behavior.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';
import { validateMetrics, validateReference } from './metrics.ts';
import { targetsCell } from './targets-cell.ts';

/** Autoscalers in their newest and stored version, v2. */
export function rules(identity: Identity): KindRules {
  const dropRoundTripAnnotations = roundTripAnnotationDropper(identity);
  return {
    defaults(object) {
      if (object.spec.behavior !== undefined) object.spec.behavior = completeBehavior(object.spec.behavior);
      dropRoundTripAnnotations(object);
    },
    validate,
    validateStatusUpdate: ({ status }) => allNonNegative(status, 'status', ['currentReplicas', 'desiredReplicas']),
    cells,
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

function cells({ metadata, spec, status }: ApiObject, now: Now): unknown[] {
  return [
    metadata.name,
    `${spec.scaleTargetRef?.kind}/${spec.scaleTargetRef?.name}`,
    targetsCell(spec.metrics, status?.currentMetrics),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status?.currentReplicas ?? 0,
    age(metadata.creationTimestamp, now),
  ];
}
