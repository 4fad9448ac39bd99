/** Time, and what happens after some of it; tests have one of their own. */
import { LongTimer } from '../timers/long-timer.ts';

export interface Clock {
  /** milliseconds */
  now(): number;
  /** Calls `act` once, after that time. Keeps no process from ending. @returns calls it off */
  after(milliseconds: number, act: () => void): () => void;
}

/** That of this process, `performance.now()`, which only goes forward. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = new LongTimer(milliseconds, act).unref();
    return () => timer.cancel();
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
