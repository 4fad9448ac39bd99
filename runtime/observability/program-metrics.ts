/** Sets the metrics that do not change while the program runs: its version, its feature gates and the number of its metrics, under the names of 1.32. */
import type { Metrics } from './metrics.ts';

/** The version of the program, as /version tells it. */
export interface BuildInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

export interface GateState {
  readonly name: string;
  readonly stage: 'Alpha' | 'Beta' | 'GA' | 'Deprecated';
  readonly enabled: boolean;
}

export function tellOfProgram(metrics: Metrics, build: BuildInfo, gates: readonly GateState[]): void {
  const { buildDate, gitCommit, gitTreeState, gitVersion, goVersion, ...others } = build;
  const labels = {
    build_date: buildDate,
    git_commit: gitCommit,
    git_tree_state: gitTreeState,
    git_version: gitVersion,
    go_version: goVersion,
  };
  metrics.gauge('kubernetes_build_info').set({ ...labels, ...others }, 1);
  const enabled = metrics.gauge('kubernetes_feature_enabled');
  // as in 1.32, the label of the stage is empty for gates that are generally available
  for (const { name, stage, enabled: isOn } of gates) enabled.set({ name, stage: stage === 'GA' ? '' : stage.toUpperCase() }, isOn ? 1 : 0);
  metrics.countThemselves();
}
