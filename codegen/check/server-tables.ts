/** Checks the tables of the programs by running their readers and emitters. */
import { DEFAULT_POLICY_FILE, emitDefaultPolicy } from '../emit/default-policy.ts';
import { emitFlags, NODE_AGENT_FLAGS } from '../emit/flags.ts';
import { emitMetrics } from '../emit/metrics.ts';
import { BEHAVIOURS_FILE, readBehaviours } from '../read/behaviours-file.ts';
import { EXCEPTIONS_FILE, readExceptions } from '../read/exceptions-file.ts';
import { FLAGS_FILE, NODE_AGENT_FLAGS_FILE, readFlags } from '../read/flags-file.ts';
import { METRICS_FILE, readMetrics } from '../read/metrics-file.ts';
import { formProblem, readable, type TableProblems } from '../read/table-file.ts';
import type { CheckContext } from './check-context.ts';
import type { DiagnosticCode } from './codes.ts';

export function checkServerTables({ sources, model, report }: CheckContext): void {
  const attempt = (emit: () => unknown, code: DiagnosticCode, file: string): void => {
    try {
      emit();
    } catch (error) {
      const problems = (error as Error).message.split('\n').slice(1);
      for (const problem of problems.length > 0 ? problems : [(error as Error).message]) report(code, { file, path: '' }, problem.trim());
    }
  };
  const gates = new Set(model.featureGates.map(({ name }) => name));
  const { flags, nodeAgentFlags, defaultPolicy, metrics, behaviours, policyExceptions } = sources;
  if (flags !== undefined) attempt(() => emitFlags(flags), 'CS059', FLAGS_FILE);
  if (nodeAgentFlags !== undefined) attempt(() => emitFlags(nodeAgentFlags, NODE_AGENT_FLAGS), 'CS059', NODE_AGENT_FLAGS_FILE);
  if (defaultPolicy !== undefined) attempt(() => emitDefaultPolicy(defaultPolicy, model.identity, gates), 'CS061', DEFAULT_POLICY_FILE);
  if (metrics !== undefined) attempt(() => emitMetrics(metrics), 'CS062', METRICS_FILE);
  if (behaviours !== undefined) attempt(() => wellFormed(BEHAVIOURS_FILE, readBehaviours(behaviours)), 'CS063', BEHAVIOURS_FILE);
  if (policyExceptions !== undefined)
    attempt(() => wellFormed(EXCEPTIONS_FILE, readExceptions(policyExceptions)), 'CS064', EXCEPTIONS_FILE);
  checkGatesOfFlags({ sources, model, report });
  checkTableReleases({ sources, model, report });
}

function checkGatesOfFlags({ sources, model, report }: CheckContext): void {
  const gates = new Set(model.featureGates.map(({ name }) => name));
  for (const [file, text] of [[FLAGS_FILE, sources.flags] as const, [NODE_AGENT_FLAGS_FILE, sources.nodeAgentFlags] as const])
    for (const { name, featureGate } of readable(text, readFlags)?.flags ?? [])
      if (featureGate !== undefined && !gates.has(featureGate))
        report('CS053', { file, path: `flags.${name}.featureGate` }, `There is no feature gate ${featureGate}.`);
}

/** Reports unknown releases in tables, because nobody could tell how long ago they were. */
function checkTableReleases({ sources, model, report }: CheckContext): void {
  const known = new Set(model.releases.map(({ name }) => name));
  if (known.size === 0) return;
  const look = (file: string, path: string, release: string | undefined): void => {
    if (release !== undefined && !known.has(release)) report('CS050', { file, path }, `There is no release ${release}.`);
  };
  for (const [file, text] of [[FLAGS_FILE, sources.flags] as const, [NODE_AGENT_FLAGS_FILE, sources.nodeAgentFlags] as const])
    for (const { name, deprecated } of readable(text, readFlags)?.flags ?? []) look(file, `flags.${name}.deprecated`, deprecated?.release);
  for (const [name, { since, deprecated }] of Object.entries(readable(sources.metrics, readMetrics) ?? {})) {
    look(METRICS_FILE, `${name}.since`, since);
    look(METRICS_FILE, `${name}.deprecated`, deprecated);
  }
  for (const [name, { deprecated, removed }] of Object.entries(readable(sources.behaviours, readBehaviours) ?? {})) {
    look(BEHAVIOURS_FILE, `${name}.deprecated`, deprecated);
    look(BEHAVIOURS_FILE, `${name}.removed`, removed);
  }
}

/** @throws Error that lists what is wrong with the form */
function wellFormed(file: string, table: object | TableProblems): void {
  if ('problems' in table) throw formProblem(file, table as TableProblems);
}
