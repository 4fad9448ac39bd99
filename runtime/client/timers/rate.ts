/** Turns at a rate: so many in a second on the average, and some at once after a time with fewer. */

const SECOND = 1_000;

export class Rate {
  /** milliseconds between two turns */
  readonly #interval: number;
  readonly #burst: number;
  readonly #now: () => number;
  /** when the last turn that was taken would be, were the burst used up */
  #last = Number.NEGATIVE_INFINITY;

  /**
   * @param perSecond turns; more than 0
   * @param burst turns at once; 1 or more
   * @param now milliseconds that only go forward
   */
  constructor(perSecond: number, burst: number, now: () => number) {
    this.#interval = SECOND / perSecond;
    this.#burst = burst;
    this.#now = now;
  }

  /** Takes a turn. @returns milliseconds until it comes */
  take(): number {
    const now = this.#now();
    this.#last = Math.max(this.#last, now - this.#burst * this.#interval) + this.#interval;
    return Math.max(0, this.#last - now);
  }

  /** Of a turn that was taken and is not used: a later one comes sooner. */
  giveBack(): void {
    this.#last -= this.#interval;
  }
}
