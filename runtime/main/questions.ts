/** Questions that a supervisor asks several workers at once. */

interface Question<Worker, Answer> {
  readonly waiting: Set<Worker>;
  readonly answers: Answer[];
  readonly end: () => void;
}

export class Questions<Worker, Answer> {
  readonly #ask: (worker: Worker, question: number) => void;
  readonly #patience: number;
  readonly #open = new Map<number, Question<Worker, Answer>>();
  #asked = 0;

  /**
   * @param ask has a worker answer a question
   * @param patience milliseconds that a worker may take: one that is busy for longer is left out
   */
  constructor(ask: (worker: Worker, question: number) => void, patience: number) {
    this.#ask = ask;
    this.#patience = patience;
  }

  /** Resolves with the answers of all that are asked, but for those that take too long or are gone. */
  of(workers: readonly Worker[]): Promise<readonly Answer[]> {
    return new Promise((resolve) => {
      const question = ++this.#asked;
      const answers: Answer[] = [];
      const timer = setTimeout(() => end(), this.#patience);
      const end = (): void => {
        clearTimeout(timer);
        this.#open.delete(question);
        resolve(answers);
      };
      this.#open.set(question, { waiting: new Set(workers), answers, end });
      for (const worker of workers) this.#ask(worker, question);
      if (workers.length === 0) end();
    });
  }

  answered(worker: Worker, number: number, answer: Answer): void {
    const question = this.#open.get(number);
    if (question?.waiting.delete(worker) !== true) return;
    question.answers.push(answer);
    if (question.waiting.size === 0) question.end();
  }

  /** The worker is no more. */
  forget(worker: Worker): void {
    for (const question of this.#open.values()) if (question.waiting.delete(worker) && question.waiting.size === 0) question.end();
  }
}
