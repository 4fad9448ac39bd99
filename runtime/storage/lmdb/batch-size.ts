/**
 * How many of the writes that wait a transaction takes. All of them, where the disk is what they wait for. But where their writers keep this thread
 * busy for longer than a commit takes, all would then wait for the disk and the thread for them: half of them leave it the other half's answers and
 * next requests to work on meanwhile.
 */
import { performance } from 'node:perf_hooks';

/** Fewer than these are not divided. */
const FEW = 16;
/** Work for the thread, in times of a commit, from which on they are. */
const MUCH_WORK = 2;
/** How much longer than the last one a commit is taken to be at most: its end is seen late where the thread is busy. */
const GROWTH = 1.1;

export class BatchSize {
  /** milliseconds that a commit takes */
  #commit = Number.POSITIVE_INFINITY;
  /** milliseconds for which the thread had worked when the last transaction ran */
  #worked = 0;

  /** Called once in each transaction. @param worked milliseconds for which this thread has worked so far */
  of(waiting: number, worked: number = workedSoFar()): number {
    const work = worked - this.#worked;
    this.#worked = worked;
    return waiting >= FEW && work > MUCH_WORK * this.#commit ? Math.ceil(waiting / 2) : waiting;
  }

  /** @param took milliseconds from when a transaction had run until it was known to be on the disk */
  committed(took: number): void {
    this.#commit = Math.min(took, GROWTH * this.#commit);
  }
}

function workedSoFar(): number {
  return performance.eventLoopUtilization().active;
}
