/** What all workers have counted, for the one that is asked for it: the supervisor asks the others. */
import { metricsData } from '../../generated/metrics.ts';
import { afterReset, combined, type Figures, lasting, NO_FIGURES } from '../observability/figures.ts';
import { MOST_ROWS } from '../observability/label-bounds.ts';
import { Questions } from './questions.ts';

/** Milliseconds that a worker may take to say what it has counted. */
const PATIENCE = 1_000;

export class FiguresOfWorkers<Worker> {
  readonly #questions: Questions<Worker, Figures>;
  /** what each has said last */
  readonly #last = new Map<Worker, Figures>();
  /** of workers that are gone: what was counted once stays counted, in no more rows than a worker of its own has */
  #gone: Figures = NO_FIGURES;

  /** @param ask has a worker answer a question */
  constructor(ask: (worker: Worker, question: number) => void) {
    this.#questions = new Questions(ask, PATIENCE);
  }

  /** Resolves with what these have counted, and those that are gone. */
  async of(workers: readonly Worker[]): Promise<readonly Figures[]> {
    return [...(await this.#questions.of(workers)), this.#gone];
  }

  answered(worker: Worker, number: number, figures: Figures): void {
    this.#last.set(worker, figures);
    this.#questions.answered(worker, number, figures);
  }

  /** All workers set back what they have counted. */
  reset(): void {
    for (const [worker, figures] of this.#last) this.#last.set(worker, afterReset(figures));
    this.#gone = afterReset(this.#gone);
  }

  /** The worker is no more. */
  forget(worker: Worker): void {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (last !== undefined) this.#gone = combined([this.#gone, lasting(last, metricsData)], metricsData, MOST_ROWS);
    this.#questions.forget(worker);
  }
}
