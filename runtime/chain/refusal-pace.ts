/**
 * Delays the refusals of requests. Clients that ask again at once, whatever they are told, could occupy the server with refusals alone. The delays limit that:
 * each connection of such clients gets about one refusal a second, many clients together get not many more than a few do, and other requests never wait for
 * more than a few refusals. 1.32 refuses at once.
 */

/** The number of refusals in each second that are sent at once. Clients that wait as they are told get so few that none of theirs is delayed. */
const AT_ONCE = 100;
/** A second in milliseconds. */
const SECOND = 1_000;
/** Milliseconds between two delayed refusals, so that 250 are sent in a second. */
const GAP = 4;
/** The longest delay in milliseconds. By then `GAP` lets 2,000 refusals leave; if there are more, they leave at that time, too. */
const LATEST = 8_000;
/** The most delayed refusals that are sent in one round of the event loop. */
const IN_ROUND = 8;

export class RefusalPace {
  #begun = Number.NEGATIVE_INFINITY;
  #refused = 0;
  /** the delayed refusals whose time has come, as functions that send them */
  readonly #due = new Set<() => void>();
  #underWay = false;
  /** the time by `performance.now()` that is planned for the last delayed refusal */
  #next = 0;

  /** Plans the next refusal. @returns undefined if it may be sent at once, otherwise a promise that resolves when it may be sent */
  next(): Promise<void> | undefined {
    const now = performance.now();
    if (now - this.#begun >= SECOND) {
      this.#begun = now;
      this.#refused = 0;
    }
    return ++this.#refused <= AT_ONCE ? undefined : this.#later(now);
  }

  /**
   * Delays a refusal by half a second to one and a half, at random, so that clients which came together do not come together again; and by more if many
   * refusals wait already.
   */
  #later(now: number): Promise<void> {
    const soonest = now + SECOND * (0.5 + Math.random());
    // the limit also keeps the plan from growing, so that refusals that come when the crowd has gone do not wait for all of it
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
