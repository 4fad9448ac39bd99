/** Splits long work into turns of the event loop, so that other work can run between them. */

/** The most milliseconds of one turn. */
const TURN = 5;

export class Turns {
  #begun = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begun >= TURN;
  }

  /** Begins another turn. Resolves in that turn. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#begun = performance.now();
  }
}
