/** A timer for any time. Node's timers wait for 24.8 days at most, and fire at once if they are given more. */

import { LONGEST_TIMER } from '../../contract/longest-timer.ts';
import { unlessAborted } from './unless-aborted.ts';

export class LongTimer {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #keepsProcess = true;

  /** @param milliseconds until `act` is called once; if they are infinite, it is never called */
  constructor(milliseconds: number, act: () => void) {
    this.#act = act;
    this.#wait(milliseconds);
  }

  /** Lets the process end although the timer still runs. */
  unref(): this {
    this.#keepsProcess = false;
    this.#timer?.unref();
    return this;
  }

  cancel(): void {
    clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): void {
    const later = milliseconds - LONGEST_TIMER;
    this.#timer = later > 0 ? setTimeout(() => this.#wait(later), LONGEST_TIMER) : setTimeout(this.#act, milliseconds);
    if (!this.#keepsProcess) this.#timer.unref();
  }
}

/** The part of a clock that waits. */
export interface Waiting {
  /** Calls `act` once after that time. @returns a function that cancels the call */
  after(milliseconds: number, act: () => void): () => void;
}

/** The real time; a wait keeps the process from ending. */
export const WAITING: Waiting = {
  after(milliseconds, act) {
    const timer = new LongTimer(milliseconds, act);
    return () => timer.cancel();
  },
};

/** @param clock may be that of a test. @throws the reason of the signal if it is aborted meanwhile */
export async function pause(milliseconds: number, signal?: AbortSignal, clock: Waiting = WAITING): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(milliseconds, resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    cancel();
  }
}
