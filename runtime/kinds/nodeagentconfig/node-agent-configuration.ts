/** The node agent's configuration: what depends on more than one member, or on feature gates. Ranges stand in the schema. */
import { type FieldError, forbidden, invalid } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { eachItem, oneOf } from '../core/findings.ts';
import type { Struct } from '../struct.ts';
import { MILLISECOND, negative, SECOND, span, validateShutdown } from './spans.ts';

const MINUTE = 60n * SECOND;
const QUOTA_PERIOD = 100n * MILLISECOND;
const TOPOLOGY_POLICIES = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const TOPOLOGY_SCOPES = ['container', 'pod'];
const HAIRPIN_MODES = ['hairpin-veth', 'none', 'promiscuous-bridge'];
const ENFORCEMENTS = ['none', 'pods', 'system-reserved', 'kube-reserved'];
const SWAP_BEHAVIOURS = ['', 'LimitedSwap', 'NoSwap'];
const LOG_FORMATS = ['json', 'text'];
const TAINT_EFFECTS = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

export const rules: KindRules = { validate };

/** Gates that the file turns count for the file. */
function validate(configuration: ApiObject, context: RuleContext): readonly FieldError[] {
  const enabled = (gate: string): boolean => configuration.featureGates?.[gate] ?? context.featureEnabled(gate);
  return [
    ...validateImages(configuration),
    ...validateChoices(configuration),
    ...validateReservations(configuration),
    ...validateShutdown(configuration, enabled),
    ...validateContainers(configuration, enabled),
  ];
}

function validateImages(configuration: ApiObject): readonly FieldError[] {
  const { imageGCLowThresholdPercent: low, imageGCHighThresholdPercent: high, imageMinimumGCAge, imageMaximumGCAge } = configuration;
  const errors = [...negative(imageMinimumGCAge, 'imageMinimumGCAge'), ...negative(imageMaximumGCAge, 'imageMaximumGCAge')];
  const oldest = span(imageMaximumGCAge);
  if (low >= high) errors.push(invalid('imageGCLowThresholdPercent', low, `must be less than imageGCHighThresholdPercent ${high}`));
  if (oldest > 0n && oldest <= span(imageMinimumGCAge))
    errors.push(invalid('imageMaximumGCAge', imageMaximumGCAge, `must be greater than imageMinimumGCAge ${imageMinimumGCAge}`));
  if (configuration.serializeImagePulls && configuration.maxParallelImagePulls > 1)
    errors.push(
      invalid('maxParallelImagePulls', configuration.maxParallelImagePulls, 'cannot be larger than 1 unless serializeImagePulls is false'),
    );
  return errors;
}

function validateChoices(configuration: ApiObject): readonly FieldError[] {
  return [
    ...oneOf(configuration.topologyManagerPolicy, 'topologyManagerPolicy', TOPOLOGY_POLICIES),
    ...oneOf(configuration.topologyManagerScope, 'topologyManagerScope', TOPOLOGY_SCOPES),
    ...oneOf(configuration.hairpinMode, 'hairpinMode', HAIRPIN_MODES),
    ...oneOf(configuration.memorySwap.swapBehavior ?? '', 'memorySwap.swapBehavior', SWAP_BEHAVIOURS),
    ...oneOf(configuration.logging.format, 'logging.format', LOG_FORMATS),
    ...(configuration.runOnce ? [invalid('runOnce', true, 'Runonce mode has been deprecated and should not be set')] : []),
    ...eachItem<Struct>(configuration.registerWithTaints, 'registerWithTaints', ({ effect, timeAdded }, at) => [
      ...oneOf(effect, `${at}.effect`, TAINT_EFFECTS),
      ...(timeAdded === undefined ? [] : [forbidden(`${at}.timeAdded`, 'a node does not say since when it has a taint')]),
    ]),
  ];
}

function validateReservations(configuration: ApiObject): readonly FieldError[] {
  const enforced: readonly string[] = configuration.enforceNodeAllocatable ?? [];
  const path = 'enforceNodeAllocatable';
  const errors = [...eachItem(enforced, path, (each, at) => oneOf(each, at, ENFORCEMENTS))];
  if (enforced.includes('none') && enforced.length > 1)
    errors.push(invalid(path, 'none', 'may not contain other enforcements when none is specified'));
  if (enforced.includes('pods') && configuration.cgroupsPerQOS === false)
    errors.push(invalid(path, 'pods', 'cgroupsPerQOS must be set to true'));
  for (const part of ['system', 'kube'] as const)
    if (enforced.includes(`${part}-reserved`) && !configuration[`${part}ReservedCgroup`])
      errors.push(invalid(path, `${part}-reserved`, `${part}ReservedCgroup must be specified`));
  if (configuration.systemCgroups && !configuration.cgroupRoot)
    errors.push(invalid('systemCgroups', configuration.systemCgroups, 'cgroupRoot must be specified with it'));
  return errors;
}

function validateContainers(configuration: ApiObject, enabled: (gate: string) => boolean): readonly FieldError[] {
  const { containerLogMaxFiles, containerLogMaxWorkers, containerLogMonitorInterval, cpuCFSQuotaPeriod, memoryThrottlingFactor } =
    configuration;
  const errors: FieldError[] = [];
  if (containerLogMaxFiles <= 1) errors.push(invalid('containerLogMaxFiles', containerLogMaxFiles, 'must be greater than 1'));
  if (containerLogMaxWorkers < 1)
    errors.push(invalid('containerLogMaxWorkers', containerLogMaxWorkers, 'must be greater than or equal to 1'));
  if (span(containerLogMonitorInterval) < 3n * SECOND)
    errors.push(
      invalid('containerLogMonitorInterval', containerLogMonitorInterval, 'must be a positive time duration greater than or equal to 3s'),
    );
  if (typeof memoryThrottlingFactor === 'number' && (memoryThrottlingFactor <= 0 || memoryThrottlingFactor > 1))
    errors.push(invalid('memoryThrottlingFactor', memoryThrottlingFactor, 'must be greater than 0 and less than or equal to 1.0'));
  return [...errors, ...validateQuotaPeriod(cpuCFSQuotaPeriod, enabled), ...validateRestarts(configuration.crashLoopBackOff, enabled)];
}

function validateQuotaPeriod(period: string, enabled: (gate: string) => boolean): readonly FieldError[] {
  const length = span(period);
  if (enabled('CustomCPUCFSQuotaPeriod'))
    return length < MILLISECOND || length > SECOND ? [invalid('cpuCFSQuotaPeriod', period, 'must be between 1ms and 1sec, inclusive')] : [];
  return length === QUOTA_PERIOD ? [] : [forbidden('cpuCFSQuotaPeriod', 'requires feature gate CustomCPUCFSQuotaPeriod')];
}

function validateRestarts({ maxContainerRestartPeriod: longest }: Struct, enabled: (gate: string) => boolean): readonly FieldError[] {
  const path = 'crashLoopBackOff.maxContainerRestartPeriod';
  if (longest === undefined) return [];
  if (!enabled('KubeletCrashLoopBackOffMax')) return [forbidden(path, 'requires feature gate KubeletCrashLoopBackOffMax')];
  return span(longest) < SECOND || span(longest) > 5n * MINUTE ? [invalid(path, longest, 'must be set between 1s and 300s')] : [];
}
