/**
 * When requests are refused. A client that asks again at once, whatever it was told, would have the server refuse without end: each connection of such a
 * crowd costs no more than a refusal in a second, a large crowd not many more than a small one, and nobody else's request waits for more than a few of
 * them. In 1.32 all are refused at once.
 */

/** Refusals of a second that leave at once: those of clients that heed what they are told are few. */
const AT_ONCE = 100;
/** Milliseconds. */
const SECOND = 1_000;
/** Milliseconds between two of the others: 250 in a second. */
const GAP = 4;
/** Milliseconds after which a refusal leaves however many there are: 2,000 leave by then as `GAP` says. */
const LATEST = 8_000;
/** Refusals that leave in one round of the event loop, of those that are late. */
const IN_ROUND = 8;

export class RefusalPace {
  #begun = Number.NEGATIVE_INFINITY;
  #refused = 0;
  /** those whose time has come */
  readonly #due = new Set<() => void>();
  #underWay = false;
  /** from when on the next late one may leave, by `performance.now()` */
  #next = 0;

  /** @returns undefined for a refusal that leaves at once */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#begun >= SECOND) {
      this.#begun = now;
      this.#refused = 0;
    }
    return ++this.#refused <= AT_ONCE ? undefined : this.#later(now);
  }

  /** A second later, about, for what came at once does not come again at once; more where many wait already. */
  #later(now: number): Promise<void> {
    const soonest = now + SECOND * (0.5 + Math.random());
    // what leaves at the latest moment is not waited for by those who come when the crowd has gone
    this.#next = Math.min(Math.max(this.#next, now) + GAP, now + LATEST);
    const delay = Math.max(soonest, this.#next) - now;
    return new Promise((resolve) => {
      setTimeout(() => this.#isDue(resolve), delay).unref();
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
