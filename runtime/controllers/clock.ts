/** Time that only goes forward, and what happens after some of it; tests of what takes minutes have one of their own. */
export interface Clock {
  /** milliseconds */
  now(): number;
  /** Calls `act` once, after that time. Keeps no process from ending. @returns calls it off */
  after(milliseconds: number, act: () => void): () => void;
}

/** That of this process, `performance.now()`. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};
