/** How long plugins take, counted under the names of 1.32. All that is counted by is looked up before the first request. */
import type { Distribution, Histogram, Metrics } from '../observability/metrics.ts';
import type { Operation } from './request/attributes.ts';

/** What a phase is called there. */
export type StepType = 'admit' | 'validate';

/** Of what was let through and what was refused. */
export interface OutcomeFigures {
  readonly admitted: Distribution;
  readonly rejected: Distribution;
}

/** Of one plugin, or of all, in one phase. */
export type StepFigures = Readonly<Record<Operation, OutcomeFigures>>;

export class AdmissionMetrics {
  readonly #plugin: Histogram;
  readonly #step: Histogram;

  constructor(metrics: Pick<Metrics, 'histogram'>) {
    this.#plugin = metrics.histogram('apiserver_admission_controller_admission_duration_seconds');
    this.#step = metrics.histogram('apiserver_admission_step_admission_duration_seconds');
  }

  ofPlugin(name: string, type: StepType): StepFigures {
    return byOperation((operation, rejected) => this.#plugin.with({ name, operation, rejected, type }));
  }

  ofPhase(type: StepType): StepFigures {
    return byOperation((operation, rejected) => this.#step.with({ operation, rejected, type }));
  }
}

function byOperation(of: (operation: string, rejected: string) => Distribution): StepFigures {
  const both = (operation: string) => ({ admitted: of(operation, 'false'), rejected: of(operation, 'true') });
  return { create: both('CREATE'), update: both('UPDATE'), delete: both('DELETE'), connect: both('CONNECT') };
}
