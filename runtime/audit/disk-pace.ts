/**
 * Decides whether writes to a disk are so quick that they may be synchronous. Almost every write is only a copy into the system's memory, which takes
 * microseconds; handing it to another thread takes several times as long.
 */

/** A write that took so many milliseconds was too slow to be synchronous. */
const SLOW = 10;

/** The disk counts as quick again after so many milliseconds without a slow write. */
const PROBATION = 10_000;

export class DiskPace {
  readonly #now: () => number;
  #quickFrom = Number.NEGATIVE_INFINITY;

  /** @param now returns milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get now(): number {
    return this.#now();
  }

  get isQuick(): boolean {
    return this.#now() >= this.#quickFrom;
  }

  /** Must be called after each write, also of other threads. @param begun time of `now` at its begin */
  wrote(begun: number): void {
    const now = this.#now();
    if (now - begun >= SLOW) this.#quickFrom = now + PROBATION;
  }
}
