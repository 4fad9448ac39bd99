/** Limits a rate: a number of tokens can be taken at once, and a number in each second after that. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  #tokens: number;
  /** when the tokens were counted, in milliseconds */
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
