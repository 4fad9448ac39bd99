/**
 * Decides whether writes to a disk are so quick that they may be synchronous. Almost every write is only a copy into the system's memory, which takes
 * microseconds; handing it to another thread takes several times as long.
 */

/** The milliseconds from which on a write was too slow to be synchronous. */
const SLOW = 10;

/** The milliseconds without a slow write after which the disk counts as quick again. */
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

  /** Notes a write. It must be called after each write, also after those by other threads. @param begun the value of `now` when it began */
  wrote(begun: number): void {
    const now = this.#now();
    if (now - begun >= SLOW) this.#quickFrom = now + PROBATION;
  }
}
