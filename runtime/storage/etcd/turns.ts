/** Long work in turns of the event loop, between which others have theirs. */

/** Milliseconds of a turn. */
const TURN = 5;

export class Turns {
  #begun = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begun >= TURN;
  }

  /** Resolves in a turn of its own. */
  async next(): Promise<void> {
    await new Promise(setImmediate);
    this.#begun = performance.now();
  }
}
