/** What all workers have counted, for the one that is asked for it: the supervisor asks the others. */
import { metricsData } from '../../generated/metrics.ts';
import { combined, type Figures, lasting, NO_FIGURES } from '../observability/figures.ts';

/** Milliseconds that a worker may take to say what it has counted: one that is busy is left out. */
const PATIENCE = 1_000;

interface Question<Worker> {
  readonly waiting: Set<Worker>;
  readonly answers: Figures[];
  readonly end: () => void;
}

export class FiguresOfWorkers<Worker> {
  readonly #ask: (worker: Worker, question: number) => void;
  readonly #questions = new Map<number, Question<Worker>>();
  /** what each has said last */
  readonly #last = new Map<Worker, Figures>();
  /** of workers that are gone: what was counted once stays counted */
  #gone: Figures = NO_FIGURES;
  #asked = 0;

  /** @param ask has a worker answer a question */
  constructor(ask: (worker: Worker, question: number) => void) {
    this.#ask = ask;
  }

  /** Resolves with what these have counted, and those that are gone. */
  of(workers: readonly Worker[]): Promise<readonly Figures[]> {
    return new Promise((resolve) => {
      const question = ++this.#asked;
      const answers: Figures[] = [];
      const timer = setTimeout(() => end(), PATIENCE);
      const end = (): void => {
        clearTimeout(timer);
        this.#questions.delete(question);
        resolve([...answers, this.#gone]);
      };
      this.#questions.set(question, { waiting: new Set(workers), answers, end });
      for (const worker of workers) this.#ask(worker, question);
      if (workers.length === 0) end();
    });
  }

  answered(worker: Worker, number: number, figures: Figures): void {
    this.#last.set(worker, figures);
    const question = this.#questions.get(number);
    if (question?.waiting.delete(worker) !== true) return;
    question.answers.push(figures);
    if (question.waiting.size === 0) question.end();
  }

  /** The worker is no more. */
  forget(worker: Worker): void {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (last !== undefined) this.#gone = combined([this.#gone, lasting(last, metricsData)], metricsData);
    for (const question of this.#questions.values()) if (question.waiting.delete(worker) && question.waiting.size === 0) question.end();
  }
}
