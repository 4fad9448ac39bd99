/** Time as flow control knows it, so that tests can move it. */
export interface FlowClock {
  /** milliseconds, never less than before */
  now(): number;
  /** Calls `act` once after so many milliseconds. @returns calls it off */
  after(milliseconds: number, act: () => void): () => void;
}

export const REAL_TIME: FlowClock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};
