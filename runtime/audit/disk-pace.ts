/**
 * Whether a disk takes what is written to it so quickly that the event loop may wait for it. Almost every write is a copy into the system's memory, which
 * takes microseconds. Asking another thread for it, and hearing of it in a later round of the loop, takes several times as long.
 */

/** Milliseconds of a write that was too slow to be waited for. */
const SLOW = 10;

/** Milliseconds without a slow write after which the disk counts as quick again. */
const PROBATION = 10_000;

export class DiskPace {
  readonly #now: () => number;
  #quickFrom = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds, of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  get isQuick(): boolean {
    return this.#now() >= this.#quickFrom;
  }

  /** Told of each write, of whichever thread. @param begun of `now` */
  wrote(begun: number): void {
    const now = this.#now();
    if (now - begun >= SLOW) this.#quickFrom = now + PROBATION;
  }
}
