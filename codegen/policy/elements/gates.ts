/** Finds out how stable elements behind feature gates are. */
import type { Entry } from '../../model/constraints/entries.ts';
import type { FeatureGateStage, Model } from '../../model/model.ts';
import { lessStable, type Stability } from '../stability.ts';

const lastStages = new WeakMap<Model, ReadonlyMap<string, FeatureGateStage>>();

/** @returns the stage of a gate in the model's release; undefined if the gate does not exist yet */
function stageOf(model: Model, gate: string): FeatureGateStage | undefined {
  let stages = lastStages.get(model);
  if (stages === undefined) {
    stages = new Map(model.featureGates.flatMap(({ name, stages }) => [[name, stages.at(-1) as FeatureGateStage]]));
    lastStages.set(model, stages);
  }
  return stages.get(gate);
}

/** Elements behind an alpha gate count as alpha in every version, those behind a beta gate as beta at most. */
export function stabilityBehind(model: Model, gate: string | undefined, otherwise: Stability): Stability {
  const stage = gate === undefined ? undefined : stageOf(model, gate)?.stage;
  if (stage === 'Alpha') return 'alpha';
  return stage === 'Beta' ? lessStable('beta', otherwise) : otherwise;
}

/** Whether an element behind the gate is there as long as nobody sets the gate. */
export function isOnByDefault(model: Model, gate: string | undefined): boolean {
  return gate === undefined || stageOf(model, gate)?.default === true;
}

/** @returns the constraints that hold as long as nobody sets gates, without their gates */
export function enforced(model: Model, entries: readonly Entry[]): Entry[] {
  return entries.flatMap((entry): Entry[] => {
    if (typeof entry === 'string' || entry.gate === undefined) return [entry];
    const { gate, ...rest } = entry;
    if (isEnforced(model, gate)) return [rest];
    const otherwise = enforced(model, entry.else ?? []);
    return entry.at === undefined || otherwise.length === 0 ? otherwise : [{ at: entry.at, all: otherwise }];
  });
}

/** @param gate the name of a gate, or `!` and a name: that holds while the gate is off */
export function isEnforced(model: Model, gate: string): boolean {
  return gate.startsWith('!') ? !isOnByDefault(model, gate.slice(1)) : isOnByDefault(model, gate);
}
