/**
 * When requests are refused. A client that asks again at once, whatever it was told, would have the server refuse without end: each connection of such a
 * crowd costs no more than a refusal in a second, and nobody else's request waits for more than a few of them. In 1.32 all are refused at once.
 */

/** Refusals of a second that leave at once: those of clients that heed what they are told are few. */
const AT_ONCE = 100;
/** Milliseconds. */
const SECOND = 1_000;
/** Refusals that leave in one round of the event loop, of those that are late. */
const IN_ROUND = 8;

export class RefusalPace {
  #begun = Number.NEGATIVE_INFINITY;
  #refused = 0;
  /** those whose time has come */
  readonly #due = new Set<() => void>();
  #underWay = false;

  /** @returns undefined for a refusal that leaves at once */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#begun >= SECOND) {
      this.#begun = now;
      this.#refused = 0;
    }
    return ++this.#refused <= AT_ONCE ? undefined : this.#later();
  }

  /** A second later, about: what came at once does not come again at once. */
  #later(): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(() => this.#isDue(resolve), SECOND * (0.5 + Math.random())).unref();
    });
  }

  #isDue(leave: () => void): void {
    this.#due.add(leave);
    if (this.#underWay) return;
    this.#underWay = true;
    setImmediate(() => this.#round());
  }

  #round(): void {
    let left = IN_ROUND;
    for (const leave of this.#due) {
      if (left-- === 0) break;
      this.#due.delete(leave);
      leave();
    }
    this.#underWay = this.#due.size > 0;
    if (this.#underWay) setImmediate(() => this.#round());
  }
}
