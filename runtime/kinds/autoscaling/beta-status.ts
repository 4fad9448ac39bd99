/** The status of autoscalers in v2beta1 and v2beta2. */
import type { Struct } from '../struct.ts';
import { defined } from './annotation-reading.ts';

/** v2 leaves out a number of replicas that is 0, and empty conditions; both beta versions write them. */
export function statusToV2({
  observedGeneration,
  lastScaleTime,
  currentReplicas,
  desiredReplicas,
  currentMetrics,
  conditions,
}: Struct): Struct {
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
}: Struct): Struct {
  return defined({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas ?? 0,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? null,
    conditions: conditions ?? null,
  });
}
