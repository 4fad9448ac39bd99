/** What checks of a pod's spec need to know of their surroundings. */
import type { RuleContext } from '../../contract/kind.ts';
import type { Volumes } from './container-mounts.ts';

export interface PodScope {
  readonly context: RuleContext;
  /** false in a template of pods: it may leave to the pod what the pod must have */
  readonly isPod: boolean;
  /** of a pod; empty in a template */
  readonly podName: string;
}

/** What containers need to know of their pod. */
export interface ContainerScope extends PodScope {
  readonly volumes: Volumes;
  /** names of the pod's resource claims */
  readonly claimNames: readonly string[];
  readonly restartPolicy: string | undefined;
  readonly gracePeriod: unknown;
  /** the pod shares the users of its node */
  readonly hostUsers: boolean;
}
