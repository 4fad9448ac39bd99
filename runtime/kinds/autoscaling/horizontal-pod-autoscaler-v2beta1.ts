/** Autoscalers of v2beta1, which name metrics as v1's annotations do, and keep the behavior in an annotation. */
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import { readAnnotation } from './annotation-reading.ts';
import { behaviorText, readBehavior } from './behavior-annotation.ts';
import { statusFromV2, statusToV2 } from './beta-status.ts';
import { roundTripAnnotationDropper } from './horizontal-pod-autoscaler-v1.ts';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './metric-conversion.ts';

export function conversion(identity: Identity): ConversionFunctions {
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

function withMetrics<Metric>(part: object, member: string, convert: (metric: Metric) => object): object {
  const metrics = (part as Readonly<Record<string, readonly Metric[] | null | undefined>>)[member];
  return metrics == null ? part : { ...part, [member]: metrics.map(convert) };
}
