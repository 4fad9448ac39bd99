/** The node agent's configuration: what depends on several members. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { NONE } from '../../validation/joined.ts';
import { span } from './spans.ts';

/** Unused images are removed down to the lower threshold, and not before they may be. */
export function imageAges(configuration: NodeAgentConfiguration): readonly FieldError[] {
  const { imageGCLowThresholdPercent: low = 0, imageGCHighThresholdPercent: high = 0 } = configuration;
  const { imageMinimumGCAge: youngest, imageMaximumGCAge: oldest } = configuration;
  const errors: FieldError[] = [];
  if (low >= high) errors.push(invalid('.imageGCLowThresholdPercent', low, `must be less than imageGCHighThresholdPercent ${high}`));
  if (span(oldest) > 0n && span(oldest) <= span(youngest))
    errors.push(invalid('.imageMaximumGCAge', oldest, `must be greater than imageMinimumGCAge ${youngest}`));
  return errors;
}

/** What is held to what is reserved needs control groups. */
export function reservations(configuration: NodeAgentConfiguration): readonly FieldError[] {
  const { enforceNodeAllocatable: enforced = [], cgroupsPerQOS, systemReservedCgroup, kubeReservedCgroup } = configuration;
  const rows: [value: string, isWrong: boolean, problem: string][] = [
    ['none', enforced.length > 1, 'may not contain other enforcements when none is specified'],
    ['pods', cgroupsPerQOS === false, 'cgroupsPerQOS must be set to true'],
    ['system-reserved', !systemReservedCgroup, 'systemReservedCgroup must be specified'],
    ['kube-reserved', !kubeReservedCgroup, 'kubeReservedCgroup must be specified'],
  ];
  const found = rows.filter(([value, isWrong]) => isWrong && enforced.includes(value));
  return found.length === 0 ? NONE : found.map(([value, , problem]) => invalid('.enforceNodeAllocatable', value, problem));
}
