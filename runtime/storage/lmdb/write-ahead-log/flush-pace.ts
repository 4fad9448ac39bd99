/**
 * Whether the event loop waits for a flush itself. Waking another thread for that, and being woken by it, costs a lone writer a twentieth of all that its write
 * takes; but nobody else is served meanwhile. So it does while the disk is swift and the loop has time to spare.
 */

import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Milliseconds that a flush takes at most on a swift disk: less than a long request holds the loop. */
const SWIFT = 1;
/** Flushes in a row that take no longer, before the loop waits for one. */
const SWIFT_IN_A_ROW = 16;
/**
 * Part of the time in which a loop does something or waits for flushes, beyond which it has none to spare: with a lone writer that is seven eighths.
 * Milliseconds for which one look at it counts.
 */
const BUSY = 0.95;
const LOOK = 100;

export class FlushPace {
  readonly #utilization: () => EventLoopUtilization;
  readonly #now: () => number;
  #swiftInARow = 0;
  #isBusy = false;
  /** until when that counts, and what the loop had done by the last look */
  #until = Number.NEGATIVE_INFINITY;
  #last: Pick<EventLoopUtilization, 'idle' | 'active'> = { idle: 0, active: 0 };

  /** @param utilization of the event loop since it began. @param now milliseconds of a clock that never goes back */
  constructor(utilization = () => performance.eventLoopUtilization(), now = () => performance.now()) {
    this.#utilization = utilization;
    this.#now = now;
  }

  /** Whether the loop is to wait for the next flush. To be asked for each lone one. */
  get waitsHere(): boolean {
    return this.#swiftInARow >= SWIFT_IN_A_ROW && !this.#hasNoTime();
  }

  /** Notes a flush, whichever thread waited for it. @param milliseconds how long it took; Infinity if it failed */
  took(milliseconds: number): void {
    this.#swiftInARow = milliseconds <= SWIFT ? this.#swiftInARow + 1 : 0;
  }

  #hasNoTime(): boolean {
    const now = this.#now();
    if (now < this.#until) return this.#isBusy;
    this.#until = now + LOOK;
    const current = this.#utilization();
    const [idled, worked] = [current.idle - this.#last.idle, current.active - this.#last.active];
    this.#isBusy = worked > BUSY * (idled + worked);
    this.#last = current;
    return this.#isBusy;
  }
}
