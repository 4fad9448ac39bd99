/**
 * Holds the deadlines of requests, nearly all of which are called off long before they pass. A timer of Node for each would cost a small write a fiftieth of
 * its time, because the first timer that begins and the last one that is cleared change what the event loop waits for. So deadlines that are far away have
 * none: one timer for all of them checks which have passed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Member, MemberList } from '../collections/member-list.ts';

/** Milliseconds from which on a deadline is far away. */
const FAR = 10_000;
/** Milliseconds between two checks while a server that ends waits for its requests. */
const ENDING_INTERVAL = 10;
/** Milliseconds between two checks of the deadlines that are far away, by which they may be late. */
const INTERVAL = 500;

/** The result of `Deadlines.after`, by which its caller may call it off. `Deadlines` alone changes its members. */
export class Deadline implements Member {
  /** its place in the list of those that are far away; undefined if it is not in the list */
  place: number | undefined = undefined;
  /** when it passes, by `performance.now()` */
  readonly due: number;
  readonly passed: () => void;
  /** its own timer, if it is not far away */
  timer: NodeJS.Timeout | undefined;
  /** whether it has passed or was called off */
  over = false;

  constructor(due: number, passed: () => void) {
    this.due = due;
    this.passed = passed;
  }
}

export class Deadlines {
  readonly #far = new MemberList<Deadline>();
  readonly #from: number;
  #looks = false;
  #pending = 0;

  /** @param from milliseconds from which on a deadline counts as far away */
  constructor(from = FAR) {
    this.#from = from;
  }

  /** Calls `passed` once after a number of milliseconds, or up to half a second later if that is far away, unless it is called off before. */
  after(milliseconds: number, passed: () => void): Deadline {
    const deadline = new Deadline(performance.now() + milliseconds, passed);
    this.#pending++;
    if (milliseconds < this.#from) deadline.timer = setTimeout(() => this.#pass(deadline), milliseconds);
    else {
      this.#far.add(deadline);
      this.#lookSoon();
    }
    return deadline;
  }

  /** Calls a deadline off. It has no effect on one that has passed. */
  callOff(deadline: Deadline): void {
    if (deadline.over) return;
    deadline.over = true;
    this.#pending--;
    if (deadline.timer === undefined) this.#far.remove(deadline);
    else clearTimeout(deadline.timer);
  }

  /** Resolves when every deadline has passed or was called off, or after `limit` milliseconds. */
  async none(limit: number): Promise<void> {
    for (const end = performance.now() + limit; this.#pending > 0 && performance.now() < end; ) await sleep(ENDING_INTERVAL);
  }

  #pass(deadline: Deadline): void {
    deadline.over = true;
    this.#pending--;
    deadline.passed();
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
      this.#far.remove(deadline);
      this.#pass(deadline);
    }
    if (this.#far.size > 0) this.#lookSoon();
  }
}
