/** So many at once, and so many a second from then on. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  /** milliseconds, when the tokens were counted */
  #counted: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(perSecond: number, burst: number, now: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = burst;
    this.#counted = now;
  }

  /** @returns whether there was one left, which is gone now */
  take(now: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((now - this.#counted) * this.#perSecond) / 1_000);
    this.#counted = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}
