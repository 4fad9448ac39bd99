/** Spans of time in the node agent's configuration that depend on each other. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { type FieldError, invalid } from '../../contract/field-error.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { NONE } from '../../validation/joined.ts';

/** Nanoseconds; 0 where there is no text. */
export function span(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseDuration(text) ?? 0n);
}

export function criticalPods(configuration: NodeAgentConfiguration): readonly FieldError[] {
  const { shutdownGracePeriod: whole, shutdownGracePeriodCriticalPods: critical } = configuration;
  if (span(critical) <= span(whole)) return NONE;
  return [invalid('.shutdownGracePeriodCriticalPods', critical, `must be <= shutdownGracePeriod ${whole}`)];
}
