/**
 * Metrics of autoscalers: v1 names each source's numbers in its own way (and keeps metrics in annotations alone); v2 has one form of target
 * and one form of present value for all. Where v1 must write a quantity that is not there, it writes "0".
 */
import type * as v1 from '../../../generated/autoscaling/v1/types.ts';
import type * as v2 from '../../../generated/autoscaling/v2/types.ts';
import {
  defined,
  optionalInt32,
  optionalQuantity,
  optionalSelector,
  optionalText,
  struct,
  text,
  type Unread,
} from './annotation-reading.ts';

const ZERO = '0';

/** @param metric of v2 */
export function metricToV1({ type, object, pods, resource, containerResource, external }: v2.MetricSpec): v1.MetricSpec {
  return defined({
    type,
    object: object && {
      target: object.describedObject,
      ...defined({
        metricName: object.metric.name,
        targetValue: object.target.value ?? ZERO,
        selector: object.metric.selector,
        averageValue: object.target.averageValue,
      }),
    },
    pods:
      pods &&
      defined({ metricName: pods.metric.name, targetAverageValue: pods.target.averageValue ?? ZERO, selector: pods.metric.selector }),
    resource: resource && resourceToV1(resource),
    containerResource: containerResource && { ...resourceToV1(containerResource), container: containerResource.container },
    external:
      external &&
      defined({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        targetValue: external.target.value,
        targetAverageValue: external.target.averageValue,
      }),
  });
}

function resourceToV1({ name, target }: v2.ResourceMetricSource): v1.ResourceMetricSource {
  return defined({ name, targetAverageUtilization: target.averageUtilization, targetAverageValue: target.averageValue });
}

/** @param source what is falsy is absent */
function read<T>(source: unknown, convert: (source: Unread) => T): T | undefined {
  return source ? convert(struct(source)) : undefined;
}

/** @param metric of v1, unchecked */
export function metricFromV1({ type, object, pods, resource, containerResource, external }: Unread): v2.MetricSpec {
  return defined({
    type: text(type),
    object: read(object, objectFromV1),
    pods: read(pods, podsFromV1),
    resource: read(resource, resourceFromV1),
    containerResource: read(containerResource, (source) => ({ ...resourceFromV1(source), container: text(source.container) })),
    external: read(external, externalFromV1),
  });
}

function objectFromV1(source: Unread): v2.ObjectMetricSource {
  const averageValue = optionalQuantity(source.averageValue);
  const value = optionalQuantity(source.targetValue) ?? ZERO;
  // A target is positive: zero stands for one that v2 does not have.
  const target = averageValue !== undefined && value === ZERO ? { averageValue } : { value, averageValue };
  return {
    describedObject: reference(source.target),
    target: defined({ type: averageValue === undefined ? 'Value' : 'AverageValue', ...target }),
    metric: identifier(source.metricName, source.selector),
  };
}

function podsFromV1(source: Unread): v2.PodsMetricSource {
  return {
    metric: identifier(source.metricName, source.selector),
    target: { type: 'AverageValue', averageValue: optionalQuantity(source.targetAverageValue) ?? ZERO },
  };
}

function resourceFromV1(source: Unread): v2.ResourceMetricSource {
  const averageUtilization = optionalInt32(source.targetAverageUtilization);
  const averageValue = optionalQuantity(source.targetAverageValue);
  const type = averageUtilization === undefined ? 'AverageValue' : 'Utilization';
  return { name: text(source.name), target: defined({ type, averageValue, averageUtilization }) };
}

function externalFromV1(source: Unread): v2.ExternalMetricSource {
  const value = optionalQuantity(source.targetValue);
  const averageValue = optionalQuantity(source.targetAverageValue);
  return {
    metric: identifier(source.metricName, source.metricSelector),
    target: defined({ type: value === undefined ? 'AverageValue' : 'Value', value, averageValue }),
  };
}

/** @param status of v2 */
export function metricStatusToV1({ type, object, pods, resource, containerResource, external }: v2.MetricStatus): v1.MetricStatus {
  return defined({
    type,
    object: object && {
      target: object.describedObject,
      ...defined({
        metricName: object.metric.name,
        currentValue: object.current.value ?? ZERO,
        selector: object.metric.selector,
        averageValue: object.current.averageValue,
      }),
    },
    pods:
      pods &&
      defined({ metricName: pods.metric.name, currentAverageValue: pods.current.averageValue ?? ZERO, selector: pods.metric.selector }),
    resource: resource && resourceStatusToV1(resource),
    containerResource: containerResource && { ...resourceStatusToV1(containerResource), container: containerResource.container },
    external:
      external &&
      defined({
        metricName: external.metric.name,
        metricSelector: external.metric.selector,
        currentValue: external.current.value ?? ZERO,
        currentAverageValue: external.current.averageValue,
      }),
  });
}

function resourceStatusToV1({ name, current }: v2.ResourceMetricStatus): v1.ResourceMetricStatus {
  return defined({
    name,
    currentAverageUtilization: current.averageUtilization,
    currentAverageValue: current.averageValue ?? ZERO,
  });
}

/** @param status of v1, unchecked */
export function metricStatusFromV1({ type, object, pods, resource, containerResource, external }: Unread): v2.MetricStatus {
  return defined({
    type: text(type),
    object: read(object, objectStatusFromV1),
    pods: read(pods, podsStatusFromV1),
    resource: read(resource, resourceStatusFromV1),
    containerResource: read(containerResource, (source) => ({ ...resourceStatusFromV1(source), container: text(source.container) })),
    external: read(external, externalStatusFromV1),
  });
}

function objectStatusFromV1(status: Unread): v2.ObjectMetricStatus {
  return {
    metric: identifier(status.metricName, status.selector),
    current: defined({ value: optionalQuantity(status.currentValue) ?? ZERO, averageValue: optionalQuantity(status.averageValue) }),
    describedObject: reference(status.target),
  };
}

function podsStatusFromV1(status: Unread): v2.PodsMetricStatus {
  return {
    metric: identifier(status.metricName, status.selector),
    current: { averageValue: optionalQuantity(status.currentAverageValue) ?? ZERO },
  };
}

function externalStatusFromV1(status: Unread): v2.ExternalMetricStatus {
  return {
    metric: identifier(status.metricName, status.metricSelector),
    current: defined({
      value: optionalQuantity(status.currentValue) ?? ZERO,
      averageValue: optionalQuantity(status.currentAverageValue),
    }),
  };
}

function resourceStatusFromV1(status: Unread): v2.ResourceMetricStatus {
  return {
    name: text(status.name),
    current: defined({
      averageValue: optionalQuantity(status.currentAverageValue) ?? ZERO,
      averageUtilization: optionalInt32(status.currentAverageUtilization),
    }),
  };
}

function identifier(name: unknown, selector: unknown): v2.MetricIdentifier {
  return defined({ name: text(name), selector: optionalSelector(selector) });
}

function reference(value: unknown): v2.CrossVersionObjectReference {
  const { kind, name, apiVersion } = struct(value);
  return defined({ kind: text(kind), name: text(name), apiVersion: optionalText(apiVersion) || undefined });
}
