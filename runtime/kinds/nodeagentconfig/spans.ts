/** Spans of time in the node agent's configuration. Gates that the file turns count for the file. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind.ts';
import { parseDuration } from '../../schema/scalar/duration.ts';
import { joined, NONE } from '../joined.ts';

const MILLISECOND = 1_000_000n;
const SECOND = 1000n * MILLISECOND;
const MINUTE = 60n * SECOND;
const QUOTA_PERIOD = 100n * MILLISECOND;

/** Nanoseconds; 0 where there is no text. */
export function span(text: string | undefined): bigint {
  return text === undefined ? 0n : (parseDuration(text) ?? 0n);
}

export function wholeSeconds(text: string): readonly FieldError[] {
  const length = span(text);
  if (length === 0n || length >= SECOND) return NONE;
  return [invalid('', text, 'must be either zero or otherwise >= 1 sec')];
}

export function monitorInterval(text: string): readonly FieldError[] {
  return span(text) >= 3n * SECOND ? NONE : [invalid('', text, 'must be a positive time duration greater than or equal to 3s')];
}

/** How long the machine waits for pods: in two parts, or by priority. */
export function shutdown(configuration: NodeAgentConfiguration, _old: unknown, context: RuleContext): readonly FieldError[] {
  const { shutdownGracePeriod: whole, shutdownGracePeriodCriticalPods: critical, shutdownGracePeriodByPodPriority } = configuration;
  const inParts = span(whole) > 0n || span(critical) > 0n;
  const errors: FieldError[] = [];
  if (span(critical) > span(whole))
    errors.push(invalid('.shutdownGracePeriodCriticalPods', critical, `must be <= shutdownGracePeriod ${whole}`));
  if (inParts) errors.push(...gated(configuration, context, '.shutdownGracePeriod', 'GracefulNodeShutdown'));
  if ((shutdownGracePeriodByPodPriority ?? []).length === 0) return errors;
  const path = '.shutdownGracePeriodByPodPriority';
  const ofGate = gated(configuration, context, path, 'GracefulNodeShutdownBasedOnPodPriority');
  if (ofGate.length > 0 || !inParts) return joined(errors, ofGate);
  return [...errors, forbidden(path, 'cannot be specified together with shutdownGracePeriod')];
}

/** Other values than the usual ones need a gate. */
export function gatedSpans(configuration: NodeAgentConfiguration, _old: unknown, context: RuleContext): readonly FieldError[] {
  const { cpuCFSQuotaPeriod: period, crashLoopBackOff } = configuration;
  const longest = crashLoopBackOff?.maxContainerRestartPeriod;
  return joined(
    span(period) === QUOTA_PERIOD ? NONE : quotaPeriod(configuration, period, context),
    longest === undefined ? NONE : restartPeriod(configuration, longest, context),
  );
}

function quotaPeriod(configuration: NodeAgentConfiguration, period: string | undefined, context: RuleContext): readonly FieldError[] {
  const path = '.cpuCFSQuotaPeriod';
  const ofGate = gated(configuration, context, path, 'CustomCPUCFSQuotaPeriod');
  if (ofGate.length > 0 || (span(period) >= MILLISECOND && span(period) <= SECOND)) return ofGate;
  return [invalid(path, period, 'must be between 1ms and 1sec, inclusive')];
}

function restartPeriod(configuration: NodeAgentConfiguration, longest: string, context: RuleContext): readonly FieldError[] {
  const path = '.crashLoopBackOff.maxContainerRestartPeriod';
  const ofGate = gated(configuration, context, path, 'KubeletCrashLoopBackOffMax');
  if (ofGate.length > 0 || (span(longest) >= SECOND && span(longest) <= 5n * MINUTE)) return ofGate;
  return [invalid(path, longest, 'must be set between 1s and 300s')];
}

function gated({ featureGates }: NodeAgentConfiguration, context: RuleContext, path: string, gate: string): readonly FieldError[] {
  return (featureGates?.[gate] ?? context.featureEnabled(gate)) ? NONE : [forbidden(path, `requires feature gate ${gate}`)];
}
