/** Feature gates that the node agent's configuration turns count for the configuration itself. */
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import type { Predicate } from '../../contract/kind.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';

export function isOn(gate: string, { featureGates }: NodeAgentConfiguration, context: RuleContext): boolean {
  return featureGates?.[gate] ?? context.featureEnabled(gate);
}

type MayBeSet = Predicate<string, NodeAgentConfiguration>;

export const customQuotaPeriod: MayBeSet = (_period, _old, context, _scope, holder) => isOn('CustomCPUCFSQuotaPeriod', holder, context);
export const restartPeriod: MayBeSet = (_period, _old, context, _scope, holder) => isOn('KubeletCrashLoopBackOffMax', holder, context);
