/** Limits the rate of turns: so many per second on average, and a burst after a time with fewer. */

const SECOND = 1_000;

export class Rate {
  /** milliseconds between two turns */
  readonly #interval: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** the time of the last turn that was taken, as if no burst were allowed */
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @param perSecond turns per second on average; more than 0
   * @param burst turns that may be taken at once; 1 or more
   * @param now returns milliseconds that never go back
   */
  constructor(perSecond: number, burst: number, now: () => number) {
    this.#interval = SECOND / perSecond;
    this.#burst = burst;
    this.#now = now;
  }

  /** Takes a turn. @returns milliseconds until it may be used */
  take(): number {
    const now = this.#now();
    this.#last = Math.max(this.#last, now - this.#burst * this.#interval) + this.#interval;
    return Math.max(0, this.#last - now);
  }

  /** Gives back a turn that is not used, so that the next one comes sooner. */
  giveBack(): void {
    this.#last -= this.#interval;
  }
}
