/** The side of a worker that is asked for figures: it asks its supervisor for those of the others. */
import type { Figures } from '../observability/figures.ts';
import type { Report } from './worker-protocol.ts';

/** Milliseconds; a supervisor that is busy for longer leaves this worker's own figures to be told. */
const PATIENCE = 2_000;

export class FiguresOfOthers {
  readonly #tell: (report: Report) => void;
  readonly #asked = new Map<number, (figures: readonly Figures[]) => void>();
  #last = 0;

  /** @param tell a supervisor */
  constructor(tell: (report: Report) => void) {
    this.#tell = tell;
  }

  ask(): Promise<readonly Figures[]> {
    return new Promise((resolve) => {
      const id = ++this.#last;
      const timer = setTimeout(() => this.answered(id, []), PATIENCE);
      this.#asked.set(id, (figures) => {
        clearTimeout(timer);
        resolve(figures);
      });
      this.#tell({ report: 'askFigures', id });
    });
  }

  reset(): void {
    this.#tell({ report: 'resetFigures' });
  }

  answered(id: number, figures: readonly Figures[]): void {
    this.#asked.get(id)?.(figures);
    this.#asked.delete(id);
  }
}
