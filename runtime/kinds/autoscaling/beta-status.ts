/** The status of autoscalers in v2beta1 and v2beta2. */
import type { HorizontalPodAutoscalerStatus } from '../../../generated/autoscaling/v2/types.ts';
import type { HorizontalPodAutoscalerStatus as BetaStatus } from '../../../generated/autoscaling/v2beta2/types.ts';
import { defined } from './annotation-reading.ts';

/** A status of v2 with what the beta versions always write. */
type WithLists = Omit<HorizontalPodAutoscalerStatus, 'conditions'> & Pick<BetaStatus, 'conditions' | 'currentReplicas'>;

/** v2 leaves out a number of replicas that is 0, and empty conditions; both beta versions write them. */
export function statusToV2({
  observedGeneration,
  lastScaleTime,
  currentReplicas,
  desiredReplicas,
  currentMetrics,
  conditions,
}: Partial<BetaStatus>): HorizontalPodAutoscalerStatus {
  return defined({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas || undefined,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? null,
    conditions: conditions ?? undefined,
  });
}

export function statusFromV2({
  observedGeneration,
  lastScaleTime,
  currentReplicas,
  desiredReplicas,
  currentMetrics,
  conditions,
}: Partial<HorizontalPodAutoscalerStatus>): WithLists {
  return defined({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas ?? 0,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? null,
    conditions: conditions ?? null,
  });
}
