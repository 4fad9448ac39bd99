/** The tables of one state; what is wrong with their form is told by the checks of the generator. */
import type { Model } from '../../model/model.ts';
import { readBehaviours } from '../../read/behaviours-file.ts';
import { readFlags } from '../../read/flags-file.ts';
import { readMetrics } from '../../read/metrics-file.ts';
import type { Sources } from '../../read/sources.ts';
import { readable } from '../../read/table-file.ts';
import type { PolicyTables } from './tables-step.ts';

export function readPolicyTables(sources: Sources, { identity, all }: Model): PolicyTables {
  const flags = readable(sources.flags, readFlags)?.flags;
  const nodeAgentFlags = readable(sources.nodeAgentFlags, readFlags)?.flags;
  const behaviours = readable(sources.behaviours, readBehaviours);
  const metrics = readable(sources.metrics, readMetrics);
  return {
    identity,
    featureGates: all.featureGates,
    ...(flags !== undefined && { flags }),
    ...(nodeAgentFlags !== undefined && { nodeAgentFlags }),
    ...(behaviours !== undefined && { behaviours }),
    ...(metrics !== undefined && { metrics }),
  };
}
