/**
 * Autoscalers of v2beta1 and v2beta2, and their way to v2 and back. v2beta2 has the members of v2; v2beta1 names metrics as v1's annotations
 * do, and keeps the behavior in an annotation.
 */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import type { Struct } from '../struct.ts';
import { defined, readAnnotation } from './annotation-reading.ts';
import { behaviorText, readBehavior } from './behavior-annotation.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './metric-conversion.ts';

export function v2beta2Conversion(identity: Identity): ConversionFunctions {
  const dropAnnotations = roundTripAnnotationDropper(identity);
  const convert = (object: ApiObject, status: (status: Struct) => Struct): ApiObject => {
    dropAnnotations(object);
    object.status = status(object.status ?? {});
    return object;
  };
  return { toHub: (object) => convert(object, statusToV2), fromHub: (object) => convert(object, statusFromV2) };
}

export function v2beta1Conversion(identity: Identity): ConversionFunctions {
  const dropAnnotations = roundTripAnnotationDropper(identity);
  const key = identity.text('autoscaling.alpha.${labelDomain}/behavior');
  return {
    toHub(object) {
      const behavior = readAnnotation(object.metadata.annotations?.[key], readBehavior);
      dropAnnotations(object);
      object.spec = withMetrics({ ...object.spec, ...(behavior !== undefined && { behavior }) }, 'metrics', metricFromV1);
      object.status = withMetrics(statusToV2(object.status ?? {}), 'currentMetrics', metricStatusFromV1);
      return object;
    },
    fromHub(object) {
      const { behavior, ...spec } = object.spec ?? {};
      dropAnnotations(object);
      if (behavior !== undefined) object.metadata.annotations = { ...object.metadata.annotations, [key]: behaviorText(behavior) };
      object.spec = withMetrics(spec, 'metrics', metricToV1);
      object.status = withMetrics(statusFromV2(object.status ?? {}), 'currentMetrics', metricStatusToV1);
      return object;
    },
  };
}

function withMetrics(part: Struct, member: string, convert: (metric: Struct) => Struct): Struct {
  return Array.isArray(part[member]) ? { ...part, [member]: part[member].map(convert) } : part;
}

/** v2 leaves out a number of replicas that is 0, and empty conditions; both beta versions write them. */
function statusToV2({ observedGeneration, lastScaleTime, currentReplicas, desiredReplicas, currentMetrics, conditions }: Struct): Struct {
  return defined({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas || undefined,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? null,
    conditions: conditions ?? undefined,
  });
}

function statusFromV2({ observedGeneration, lastScaleTime, currentReplicas, desiredReplicas, currentMetrics, conditions }: Struct): Struct {
  return defined({
    observedGeneration,
    lastScaleTime,
    currentReplicas: currentReplicas ?? 0,
    desiredReplicas: desiredReplicas ?? 0,
    currentMetrics: currentMetrics ?? null,
    conditions: conditions ?? null,
  });
}
