/** How long the machine waits for pods: in two parts, or by priority. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Predicate } from '../../contract/kind.ts';
import { isOn } from './gates.ts';
import { span } from './spans.ts';

type OfConfiguration = Predicate<unknown, NodeAgentConfiguration>;

export const isWhole: OfConfiguration = (_value, _old, _context, _scope, configuration) => {
  const { shutdownGracePeriod, shutdownGracePeriodCriticalPods } = configuration;
  return span(shutdownGracePeriod) <= 0n && span(shutdownGracePeriodCriticalPods) <= 0n;
};

export const mayBeInParts: OfConfiguration = (value, old, context, scope, configuration) =>
  isWhole(value, old, context, scope, configuration) || isOn('GracefulNodeShutdown', configuration, context);

export const mayBeByPriority: OfConfiguration = (_value, _old, context, _scope, configuration) =>
  isOn('GracefulNodeShutdownBasedOnPodPriority', configuration, context);
