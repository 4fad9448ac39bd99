/** The metrics that an autoscaler watches. */
import type { HorizontalPodAutoscalerSpec, MetricSpec } from '../../../generated/autoscaling/v2/types.ts';
import { type FieldError, forbidden, required } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';

/** The member that holds the source of a metric, by the metric's type; in the order in which the members are looked at. */
const SOURCES = new Map([
  ['Object', 'object'],
  ['External', 'external'],
  ['Pods', 'pods'],
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
] as const);

/** One of the metrics says something while there are no pods. */
export function measuresWithoutPods({ metrics }: HorizontalPodAutoscalerSpec): boolean {
  return (metrics ?? []).some(({ type }) => type === 'Object' || type === 'External');
}

/** The source that the type names is there; no other one is, beside it or beside yet another. */
export function namedSource(metric: MetricSpec): readonly FieldError[] {
  const named = SOURCES.get(metric.type as 'Object');
  const present = [...SOURCES.values()].filter((member) => metric[member] !== undefined);
  if (present.length === 1 && present[0] === named) return NONE;
  const missing = named !== undefined && metric[named] === undefined;
  const others = present.length === 1 ? NONE : present.filter((member) => member !== named);
  return [
    ...(missing ? [required(`.${named}`, 'must populate information for the given metric source')] : NONE),
    ...others.map((member) => forbidden(`.${member}`, 'must populate the given metric source only')),
  ];
}
