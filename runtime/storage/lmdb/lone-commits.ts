/**
 * When a write that comes alone is committed on the thread that runs everything: for the time of a flush that thread then does nothing else,
 * which is free as long as nobody else wants it. Whether somebody did shows in the next turn of the event loop, and decides over the next writes.
 */
import { performance } from 'node:perf_hooks';

/** Milliseconds that a commit may hold the thread; a disk that takes longer is left to the other thread for so many writes. */
const SLOW = 2;
/** Writes at most that are left to the other thread, then this one is tried again. */
const MOST_PASSED = 256;

export class LoneCommits {
  /** writes to pass before the next one may be committed here */
  #left = 0;
  /** writes that are passed the next time that somebody waits */
  #passed = 1;

  /** Asked for each write that comes alone. */
  isDue(): boolean {
    if (this.#left === 0) return true;
    this.#left--;
    return false;
  }

  /** Runs a commit and learns from it; throws what it throws. */
  commit(work: () => void): void {
    const start = performance.now();
    work();
    const slow = performance.now() - start > SLOW;
    const before = eventsSoFar();
    // the next turn takes up what has come meanwhile, without waiting for more
    setImmediate(() => this.#learn(slow || eventsSoFar() > before));
  }

  /** @param costly somebody waited, or the disk was slow */
  #learn(costly: boolean): void {
    if (costly) {
      this.#left = this.#passed;
      this.#passed = Math.min(2 * this.#passed, MOST_PASSED);
    } else this.#passed = Math.max(1, this.#passed / 2);
  }
}

/** Events that the event loop has taken up. */
function eventsSoFar(): number {
  return performance.nodeTiming.uvMetricsInfo.events;
}
