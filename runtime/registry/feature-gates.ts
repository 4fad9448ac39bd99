/** Feature gates: the defaults of the release and what --feature-gates says (specification: Deprecation rules 9 and 10). */
import { compareReleases } from '../contract/lifespan.ts';

export interface FeatureGateStage {
  readonly release: string;
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated';
  readonly default: boolean;
  readonly locked?: boolean;
}

/** Names of releases. */
export interface GateReleases {
  /** the one whose behaviour the server has */
  readonly release: string;
  /** the newest that it can have */
  readonly current: string;
}

/**
 * @param config gate names with "true" or "false"
 * @returns tells whether a gate is on; false for one that nobody knows
 * @throws Error for an unknown gate, a value that is no truth value, or a locked gate that is turned
 */
export function featureGate(
  gates: Readonly<Record<string, readonly FeatureGateStage[]>>,
  config: ReadonlyMap<string, string>,
  { release, current }: GateReleases,
): (gate: string) => boolean {
  const enabled = new Map<string, boolean>();
  const present = new Map<string, FeatureGateStage>();
  for (const [name, stages] of Object.entries(gates)) {
    const stage = stages.filter((each) => compareReleases(each.release, release) <= 0).at(-1);
    if (stage === undefined) continue;
    present.set(name, stage);
    enabled.set(name, stage.default);
  }
  for (const group of ['AllAlpha', 'AllBeta'] as const) {
    const value = config.get(group);
    if (value === undefined) continue;
    const stage = group === 'AllAlpha' ? 'Alpha' : 'Beta';
    for (const [name, each] of present) if (each.stage === stage) enabled.set(name, truth(group, value));
  }
  for (const [name, value] of config) {
    if (name === 'AllAlpha' || name === 'AllBeta') continue;
    const stage = present.get(name);
    if (stage === undefined) throw absentGate(name, gates[name]?.[0]?.release, { release, current });
    const wanted = truth(name, value);
    if (stage.locked === true && wanted !== stage.default)
      throw new Error(`--feature-gates: ${name} is ${stage.stage} and cannot be turned ${wanted ? 'on' : 'off'}`);
    enabled.set(name, wanted);
  }
  return (gate) => enabled.get(gate) ?? false;
}

function absentGate(name: string, since: string | undefined, { release, current }: GateReleases): Error {
  if (since === undefined || compareReleases(since, current) > 0)
    return new Error(`--feature-gates: no feature gate is named ${JSON.stringify(name)}`);
  return new Error(`--feature-gates: release ${release} has no feature gate ${name}, which came with ${since}`);
}

function truth(name: string, value: string): boolean {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new Error(`--feature-gates: ${name}=${value}: the value must be true or false`);
}
