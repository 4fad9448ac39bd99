/** Spans of time in the node agent's configuration. */
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { ApiObject } from '../../contract/object.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';

export const MILLISECOND = 1_000_000n;
export const SECOND = 1000n * MILLISECOND;

/** Nanoseconds; 0 where there is no text. */
export function span(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseDuration(text) ?? 0n);
}

export function negative(text: string, path: string): FieldError[] {
  return span(text) < 0n ? [invalid(path, text, 'must not be negative')] : [];
}

/** How long the machine waits for pods: in two parts, or by priority. */
export function validateShutdown(configuration: ApiObject, enabled: (gate: string) => boolean): FieldError[] {
  const { shutdownGracePeriod: whole, shutdownGracePeriodCriticalPods: critical, shutdownGracePeriodByPodPriority } = configuration;
  const byPriority = (shutdownGracePeriodByPodPriority ?? []).length > 0;
  const errors = [...wholeSeconds(whole, 'shutdownGracePeriod'), ...wholeSeconds(critical, 'shutdownGracePeriodCriticalPods')];
  if (span(critical) > span(whole))
    errors.push(invalid('shutdownGracePeriodCriticalPods', critical, `must be <= shutdownGracePeriod ${whole}`));
  if ((span(whole) > 0n || span(critical) > 0n) && !enabled('GracefulNodeShutdown'))
    errors.push(forbidden('shutdownGracePeriod', 'requires feature gate GracefulNodeShutdown'));
  if (byPriority && !enabled('GracefulNodeShutdownBasedOnPodPriority'))
    errors.push(forbidden('shutdownGracePeriodByPodPriority', 'requires feature gate GracefulNodeShutdownBasedOnPodPriority'));
  else if (byPriority && (span(whole) > 0n || span(critical) > 0n))
    errors.push(forbidden('shutdownGracePeriodByPodPriority', 'cannot be specified together with shutdownGracePeriod'));
  return errors;
}

function wholeSeconds(text: string, path: string): FieldError[] {
  const length = span(text);
  return length < 0n || (length > 0n && length < SECOND) ? [invalid(path, text, 'must be either zero or otherwise >= 1 sec')] : [];
}
