/**
 * Autoscalers in v1, and their way to v2 and back. v1 has a member for one metric alone, the CPU utilization; the other metrics, the behavior
 * and most of the status stand in annotations of the object in v1, as JSON, and nowhere else. Metrics keep their order, but for the one of
 * CPU utilization, which comes back as the last.
 */
import type { HorizontalPodAutoscalerCondition, MetricSpec, MetricStatus } from '../../../generated/autoscaling/v2/types.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { defined, list, optionalText, readAnnotation, text, time, type Unread } from './annotation-reading.ts';
import { behaviorText, readBehavior } from './behavior-annotation.ts';
import { metricFromV1, metricStatusFromV1, metricStatusToV1, metricToV1 } from './metric-conversion.ts';

const DEFAULT_CPU_UTILIZATION = 80;

/** Keys of the annotations. */
interface Annotations {
  readonly metrics: string;
  readonly currentMetrics: string;
  readonly behavior: string;
  readonly conditions: string;
}

function annotationsOf(identity: Identity): Annotations {
  const prefix = identity.text('autoscaling.alpha.${labelDomain}');
  return {
    metrics: `${prefix}/metrics`,
    currentMetrics: `${prefix}/current-metrics`,
    behavior: `${prefix}/behavior`,
    conditions: `${prefix}/conditions`,
  };
}

export function conversion(identity: Identity): ConversionFunctions {
  const annotations = annotationsOf(identity);
  return { toHub: (object) => toV2(object, annotations), fromHub: (object) => toV1(object, annotations) };
}

/** Removes the annotations that v1 alone has: what they say has members of its own in v2. Cheap for an object that has none. */
export function roundTripAnnotationDropper(identity: Identity): (object: ApiObject) => void {
  const keys = Object.values(annotationsOf(identity));
  return (object) => dropAnnotations(object, keys);
}

function dropAnnotations({ metadata }: ApiObject, keys: readonly string[]): void {
  const { annotations } = metadata;
  if (annotations === undefined || !keys.some((key) => key in annotations)) return;
  const kept = Object.entries(annotations).filter(([key]) => !keys.includes(key));
  if (kept.length === 0) delete metadata.annotations;
  else metadata.annotations = Object.fromEntries(kept);
}

function toV2(object: ApiObject, keys: Annotations): ApiObject {
  const { spec, status = {} } = object;
  const annotations = object.metadata.annotations ?? {};
  const metrics = readAnnotation(annotations[keys.metrics], (value) => list(value, metricFromV1)) ?? [];
  if (spec.targetCPUUtilizationPercentage !== undefined) metrics.push(cpuMetric(spec.targetCPUUtilizationPercentage));
  object.spec = defined({
    scaleTargetRef: spec.scaleTargetRef,
    minReplicas: spec.minReplicas,
    maxReplicas: spec.maxReplicas,
    metrics: metrics.length > 0 ? metrics : [cpuMetric(DEFAULT_CPU_UTILIZATION)],
    behavior: readAnnotation(annotations[keys.behavior], readBehavior),
  });
  const conditions = readAnnotation(annotations[keys.conditions], (value) => list(value, readCondition)) ?? [];
  const current = readAnnotation(annotations[keys.currentMetrics], (value) => list(value, metricStatusFromV1));
  const currentMetrics = current ?? cpuStatus(status.currentCPUUtilizationPercentage);
  object.status = defined({
    observedGeneration: status.observedGeneration,
    lastScaleTime: status.lastScaleTime,
    currentReplicas: status.currentReplicas || undefined,
    desiredReplicas: status.desiredReplicas ?? 0,
    currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
    conditions: conditions.length > 0 ? conditions : undefined,
  });
  dropAnnotations(object, Object.values(keys));
  return object;
}

function toV1(object: ApiObject, keys: Annotations): ApiObject {
  const { spec, status = {} } = object;
  const metrics: readonly MetricSpec[] = spec.metrics ?? [];
  const currentMetrics: readonly MetricStatus[] = status.currentMetrics ?? [];
  const otherMetrics = metrics.filter((metric) => !isCpuUtilization(metric));
  dropAnnotations(object, Object.values(keys));
  addAnnotations(object, {
    [keys.metrics]: listText(otherMetrics.map(metricToV1)),
    [keys.currentMetrics]: listText(currentMetrics.map(metricStatusToV1)),
    [keys.behavior]: spec.behavior && behaviorText(spec.behavior),
    [keys.conditions]: listText(status.conditions ?? []),
  });
  object.spec = defined({
    scaleTargetRef: spec.scaleTargetRef,
    minReplicas: spec.minReplicas,
    maxReplicas: spec.maxReplicas,
    targetCPUUtilizationPercentage: metrics.find(isCpuUtilization)?.resource?.target.averageUtilization,
  });
  object.status = defined({
    observedGeneration: status.observedGeneration,
    lastScaleTime: status.lastScaleTime,
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    currentCPUUtilizationPercentage: currentMetrics.findLast(isCurrentCpuUtilization)?.resource?.current.averageUtilization,
  });
  return object;
}

function addAnnotations({ metadata }: ApiObject, added: Readonly<Record<string, string | undefined>>): void {
  const texts = Object.entries(added).filter((entry): entry is [string, string] => entry[1] !== undefined);
  if (texts.length === 0) return;
  const entries = Object.entries<string>({ ...metadata.annotations, ...Object.fromEntries(texts) });
  metadata.annotations = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function listText(elements: readonly object[]): string | undefined {
  return elements.length === 0 ? undefined : JSON.stringify(elements);
}

function cpuMetric(averageUtilization: number): MetricSpec {
  return { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } };
}

function cpuStatus(averageUtilization: number | undefined): MetricStatus[] {
  return averageUtilization === undefined ? [] : [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } }];
}

function isCpuUtilization({ type, resource }: MetricSpec): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;
}

function isCurrentCpuUtilization({ type, resource }: MetricStatus): boolean {
  return type === 'Resource' && resource?.name === 'cpu' && resource.current.averageUtilization !== undefined;
}

function readCondition({ type, status, lastTransitionTime, reason, message }: Unread): HorizontalPodAutoscalerCondition {
  return defined({
    type: text(type),
    status: text(status),
    lastTransitionTime: time(lastTransitionTime),
    reason: optionalText(reason) || undefined,
    message: optionalText(message) || undefined,
  });
}
