/** Time, and what happens after some of it; tests have one of their own. */
export interface Clock {
  /** milliseconds */
  now(): number;
  /** Calls `act` once, after that time. Keeps no process from ending. @returns calls it off */
  after(milliseconds: number, act: () => void): () => void;
}

/** Milliseconds that a timer of Node waits at most: with more it would not wait at all. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** That of this process, `performance.now()`, which only goes forward. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      const later = left - LONGEST_TIMER;
      timer = (later > 0 ? setTimeout(wait, LONGEST_TIMER, later) : setTimeout(act, left)).unref();
    };
    wait(milliseconds);
    return () => clearTimeout(timer);
  },
};

/** One that also has the date, for what is compared with times of objects. Waiting and what is measured go by `now`: the date may be set meanwhile. */
export interface DatedClock extends Clock {
  /** milliseconds since 1970 */
  date(): number;
}

export const DATED_CLOCK: DatedClock = { ...PROCESS_CLOCK, date: () => Date.now() };

/** That of the machine, in milliseconds since 1970. */
export const WALL_CLOCK: Clock = { now: () => Date.now(), after: PROCESS_CLOCK.after };
