/** Reads the tables of one state. The checks of the generator report what is wrong with their form, so a malformed table counts as absent here. */
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
