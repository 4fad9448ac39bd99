/** Waits that one timer looks at, which they all share: most are over before it does, and a timer for each would cost more than that. */

interface Wait {
  looks: number;
  readonly look: (looks: number) => boolean;
}

/** Looks are counted, not time: where the thread was held for long, or the machine slept, there were few. */
export class WatchedWaits {
  readonly #interval: number;
  readonly #waits = new Set<Wait>();
  #timer: NodeJS.Timeout | undefined;

  /** @param interval milliseconds from look to look */
  constructor(interval: number) {
    this.#interval = interval;
  }

  /**
   * @param look is called at each look, with how many there were, until it returns true. Must not throw
   * @returns to be called when the wait is over
   */
  begin(look: (looks: number) => boolean): () => void {
    const wait: Wait = { looks: 0, look };
    this.#waits.add(wait);
    this.#timer ??= setInterval(() => this.#look(), this.#interval).unref();
    return () => void this.#waits.delete(wait);
  }

  /** The timer goes on for one look behind the last wait, which is less than to begin it anew for the next one. */
  #look(): void {
    if (this.#waits.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    for (const wait of this.#waits) if (wait.look(++wait.looks)) this.#waits.delete(wait);
  }
}
