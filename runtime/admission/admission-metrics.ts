/** How long plugins take, counted under the names of 1.32. All that is counted by is looked up before the first request. */
import type { Count, Distribution, Histogram, Metrics } from '../observability/metrics.ts';
import type { Operation } from './request/attributes.ts';

/** What a phase is called there. */
export type StepType = 'admit' | 'validate';

/** The durations of admissions that were granted and of those that were refused. */
export interface OutcomeFigures {
  readonly admitted: Distribution;
  readonly rejected: Distribution;
}

/** The figures of one plugin, or of all, in one phase. */
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

  /** Looks up a count for plugins that are not asked about an operation, which takes no time. It counts for all of them at once. */
  passedOver(names: readonly string[], type: StepType, operation: Operation): Count {
    return this.#plugin.zeros(names.map((name) => ({ name, operation: LABELS[operation], rejected: 'false', type })));
  }

  ofPhase(type: StepType): StepFigures {
    return byOperation((operation, rejected) => this.#step.with({ operation, rejected, type }));
  }
}

const LABELS: Readonly<Record<Operation, string>> = { create: 'CREATE', update: 'UPDATE', delete: 'DELETE', connect: 'CONNECT' };

function byOperation(of: (operation: string, rejected: string) => Distribution): StepFigures {
  const both = (operation: Operation) => ({ admitted: of(LABELS[operation], 'false'), rejected: of(LABELS[operation], 'true') });
  return { create: both('create'), update: both('update'), delete: both('delete'), connect: both('connect') };
}
