/** Waits for any time: a timer of Node waits for 24.8 days at most, and with more not at all. */

import { unlessAborted } from './unless-aborted.ts';

/** Milliseconds that a timer of Node waits at most. */
const LONGEST_TIMER = 2 ** 31 - 1;

export class LongTimer {
  readonly #act: () => void;
  #timer: NodeJS.Timeout | undefined;
  #keepsProcess = true;

  /** @param milliseconds until `act` is called, once; infinite: it never is */
  constructor(milliseconds: number, act: () => void) {
    this.#act = act;
    this.#wait(milliseconds);
  }

  /** It keeps no process from ending. */
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

/** Of a clock. */
export interface Waiting {
  /** Calls `act` once, after that time. @returns calls it off */
  after(milliseconds: number, act: () => void): () => void;
}

/** It keeps the process from ending meanwhile. */
export const WAITING: Waiting = {
  after(milliseconds, act) {
    const timer = new LongTimer(milliseconds, act);
    return () => timer.cancel();
  },
};

/** @param clock a test's has a time of its own. @throws the reason of the signal, which ends it */
export async function pause(milliseconds: number, signal?: AbortSignal, clock: Waiting = WAITING): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = clock.after(milliseconds, resolve);
  try {
    await unlessAborted(promise, signal);
  } finally {
    cancel();
  }
}
