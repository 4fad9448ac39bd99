/**
 * Deadlines of requests, nearly all of which are called off long before. A timer of Node's costs a small write a fiftieth of its time, since the first
 * one to wait and the last one to be called off change what the event loop waits for: those that are far away are looked at together instead.
 */

/** Milliseconds. */
const FAR = 10_000;
/** Milliseconds between two looks, by which a deadline that is far away may pass unnoticed. */
const INTERVAL = 500;

/** What `Deadlines.after` gives, to call it off by. */
export class Deadline {
  /** of `performance.now()` */
  readonly due: number;
  readonly passed: () => void;
  timer: NodeJS.Timeout | undefined;

  constructor(due: number, passed: () => void) {
    this.due = due;
    this.passed = passed;
  }
}

export class Deadlines {
  readonly #far = new Set<Deadline>();
  readonly #from: number;
  #looks = false;

  /** @param from milliseconds from which a deadline is far away */
  constructor(from = FAR) {
    this.#from = from;
  }

  /** Calls `passed` once after so many milliseconds, or up to half a second later where that is far away. */
  after(milliseconds: number, passed: () => void): Deadline {
    const deadline = new Deadline(performance.now() + milliseconds, passed);
    if (milliseconds < this.#from) deadline.timer = setTimeout(passed, milliseconds);
    else {
      this.#far.add(deadline);
      this.#lookSoon();
    }
    return deadline;
  }

  callOff(deadline: Deadline): void {
    if (deadline.timer === undefined) this.#far.delete(deadline);
    else clearTimeout(deadline.timer);
  }

  #lookSoon(): void {
    if (this.#looks) return;
    this.#looks = true;
    setTimeout(() => this.#look(), INTERVAL).unref();
  }

  #look(): void {
    this.#looks = false;
    const now = performance.now();
    for (const deadline of this.#far) {
      if (deadline.due > now) continue;
      this.#far.delete(deadline);
      deadline.passed();
    }
    if (this.#far.size > 0) this.#lookSoon();
  }
}
