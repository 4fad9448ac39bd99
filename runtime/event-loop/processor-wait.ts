/**
 * Whether others want the processors as well: the part of the time that a thread wants to run in which it waits for its turn, which Linux counts for each
 * thread. On a system that does not tell, nobody else ever wants them.
 */
import { readFileSync } from 'node:fs';

/** Milliseconds since the thread began. */
export interface ThreadTimes {
  readonly ran: number;
  readonly waited: number;
}

/** One reading of the times counts for this many milliseconds. */
const PERIOD = 100;
/** A reading that is older than this many milliseconds begins no period, since the thread has rested in between. */
const RESTED = 4 * PERIOD;
/** A thread that waits for this part of the time that it wants to run does not have the processors to itself. */
const CONTENDED = 0.2;
const NANOSECONDS = 1e6;

export class ProcessorWait {
  readonly #read: () => ThreadTimes | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  #times: ThreadTimes | undefined;
  #isContended = false;

  /** @param read gives the times of the calling thread, or undefined on a system that does not tell, which is then not asked again */
  constructor(read: () => ThreadTimes | undefined = timesOfThread) {
    this.#read = read;
  }

  /** @param now milliseconds of a steady clock. @returns the state of the last whole period; false if the thread has rested since */
  isContended(now: number): boolean {
    const since = now - this.#looked;
    if (since >= PERIOD) this.#look(now, since < RESTED ? this.#times : undefined);
    return this.#isContended;
  }

  #look(now: number, before: ThreadTimes | undefined): void {
    const times = this.#read();
    this.#isContended = before !== undefined && times !== undefined && isContended(before, times);
    this.#times = times;
    // A system that did not tell once never tells.
    this.#looked = times === undefined ? Number.POSITIVE_INFINITY : now;
  }
}

function isContended(before: ThreadTimes, after: ThreadTimes): boolean {
  const waited = after.waited - before.waited;
  return waited > CONTENDED * (waited + after.ran - before.ran);
}

/** proc(5): nanoseconds on a processor, and nanoseconds of waiting for one. */
function timesOfThread(): ThreadTimes | undefined {
  try {
    const [ran = '', waited = ''] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return { ran: Number(ran) / NANOSECONDS, waited: Number(waited) / NANOSECONDS };
  } catch {
    return undefined;
  }
}
