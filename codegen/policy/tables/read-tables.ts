/** The tables of one state; what is wrong with their form is told by the checks of the generator. */
import type { Model } from '../../model/model.ts';
import { readBehaviours } from '../../read/behaviours-file.ts';
import { readFlags } from '../../read/flags-file.ts';
import { readMetrics } from '../../read/metrics-file.ts';
import type { Sources } from '../../read/sources.ts';
import type { TableProblems } from '../../read/table-file.ts';
import type { PolicyTables } from './tables-step.ts';

export function readPolicyTables(sources: Sources, { identity, all }: Model): PolicyTables {
  const flags = wellFormed(sources.flags, readFlags)?.flags;
  const nodeAgentFlags = wellFormed(sources.nodeAgentFlags, readFlags)?.flags;
  const behaviours = wellFormed(sources.behaviours, readBehaviours);
  const metrics = wellFormed(sources.metrics, readMetrics);
  return {
    identity,
    featureGates: all.featureGates,
    ...(flags !== undefined && { flags }),
    ...(nodeAgentFlags !== undefined && { nodeAgentFlags }),
    ...(behaviours !== undefined && { behaviours }),
    ...(metrics !== undefined && { metrics }),
  };
}

function wellFormed<T extends object>(text: string | undefined, read: (text: string) => T | TableProblems): T | undefined {
  const table = text === undefined ? undefined : read(text);
  return table === undefined || 'problems' in table ? undefined : (table as T);
}
