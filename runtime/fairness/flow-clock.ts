/** The clock of flow control, which tests replace to move the time. */
export interface FlowClock {
  /** milliseconds from an arbitrary start; never goes back */
  now(): number;
  /** Calls `act` once after so many milliseconds. @returns a function that cancels the call */
  after(milliseconds: number, act: () => void): () => void;
}

export const REAL_TIME: FlowClock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
};
