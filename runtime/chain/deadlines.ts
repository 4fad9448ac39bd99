/**
 * Deadlines of requests, nearly all of which are called off long before. A timer of Node's costs a small write a fiftieth of its time, since the first
 * one to wait and the last one to be called off change what the event loop waits for: those that are far away are looked at together instead.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Member, MemberList } from '../collections/member-list.ts';

/** Milliseconds. */
const FAR = 10_000;
/** Milliseconds between two looks while a server that ends waits for its requests. */
const ENDING_INTERVAL = 10;
/** Milliseconds between two looks, by which a deadline that is far away may pass unnoticed. */
const INTERVAL = 500;

/** What `Deadlines.after` gives, to call it off by. */
export class Deadline implements Member {
  /** among those that are far away */
  place: number | undefined = undefined;
  /** of `performance.now()` */
  readonly due: number;
  readonly passed: () => void;
  timer: NodeJS.Timeout | undefined;
  /** it has passed, or was called off */
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

  /** @param from milliseconds from which a deadline is far away */
  constructor(from = FAR) {
    this.#from = from;
  }

  /** Calls `passed` once after so many milliseconds, or up to half a second later where that is far away. */
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

  callOff(deadline: Deadline): void {
    if (deadline.over) return;
    deadline.over = true;
    this.#pending--;
    if (deadline.timer === undefined) this.#far.remove(deadline);
    else clearTimeout(deadline.timer);
  }

  /** Resolves when none is left that has neither passed nor was called off, or after `limit` milliseconds. */
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
