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

/** Milliseconds that one look counts for. */
const PERIOD = 100;
/** Milliseconds after which a look is no beginning of the next period: the thread has rested in between. */
const RESTED = 4 * PERIOD;
/** Part of the time from which on the processors are not this thread's alone. */
const CONTENDED = 0.2;
const NANOSECONDS = 1e6;

export class ProcessorWait {
  readonly #read: () => ThreadTimes | undefined;
  #looked = Number.NEGATIVE_INFINITY;
  #times: ThreadTimes | undefined;
  #isContended = false;

  /** @param read of the thread that asks. @returns undefined: the system does not tell, and is not asked again */
  constructor(read: () => ThreadTimes | undefined = timesOfThread) {
    this.#read = read;
  }

  /** @param now milliseconds of a clock that goes on steadily. @returns as it was in the last whole period; false where the thread has rested since */
  isContended(now: number): boolean {
    const since = now - this.#looked;
    if (since >= PERIOD) this.#look(now, since < RESTED ? this.#times : undefined);
    return this.#isContended;
  }

  #look(now: number, before: ThreadTimes | undefined): void {
    const times = this.#read();
    this.#isContended = before !== undefined && times !== undefined && isContended(before, times);
    this.#times = times;
    // who is told nothing once is told nothing
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
