/** The rounds of mutating admission for one request: what a webhook or a policy has changed is shown once more to all plugins, and to webhooks and policies that want it. */

export class Rounds {
  #isSecond = false;
  #isWanted = false;

  get isSecond(): boolean {
    return this.#isSecond;
  }

  /** Asks for the second round; in that one nothing comes of it. */
  askAgain(): void {
    this.#isWanted = true;
  }

  /** @returns whether there is another round, which begins by it */
  next(): boolean {
    if (this.#isSecond || !this.#isWanted) return false;
    this.#isSecond = true;
    return true;
  }
}
