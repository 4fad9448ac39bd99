import type { PodDisruptionBudgetStatus } from '../../../generated/policy/v1/types.ts';
import type { FieldError } from '../../contract/field-error.ts';
import type { Identity } from '../../contract/identity.ts';
import type { KindRules, RuleContext } from '../../contract/kind-rules.ts';
import { NONE } from '../../validation/joined.ts';
import { notNegative } from '../core/numbers.ts';
import { dropMarker, markerLabel } from './empty-selector.ts';

export function rules(identity: Identity): KindRules {
  const label = markerLabel(identity);
  return { defaults: (object) => dropMarker(object, label) };
}

const COUNTS = ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'] as const;

/** v1beta1 never looked at the counts, and what it took must stay writable. */
export function countsNotNegative(
  status: PodDisruptionBudgetStatus,
  _old: PodDisruptionBudgetStatus | undefined,
  { request }: RuleContext,
): readonly FieldError[] {
  return request.version === 'policy/v1beta1' ? NONE : COUNTS.flatMap((count) => notNegative(status[count], `.${count}`));
}
