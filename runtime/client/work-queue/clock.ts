/** A clock with timers, which tests replace. */
import { LongTimer } from '../timers/long-timer.ts';

export interface Clock {
  /** milliseconds */
  now(): number;
  /** Calls `act` once after that time. The timer does not keep the process from ending. @returns a function that cancels the call */
  after(milliseconds: number, act: () => void): () => void;
}

/** The clock of this process, `performance.now()`, which never goes back. */
export const PROCESS_CLOCK: Clock = {
  now: () => performance.now(),
  after(milliseconds, act) {
    const timer = new LongTimer(milliseconds, act).unref();
    return () => timer.cancel();
  },
};

/** A clock with the date too, which is compared with times in objects. Waits and durations use `now`, because somebody may set the date meanwhile. */
export interface DatedClock extends Clock {
  /** milliseconds since 1970 */
  date(): number;
}

export const DATED_CLOCK: DatedClock = { ...PROCESS_CLOCK, date: () => Date.now() };

/** The clock of the machine. */
export const WALL_CLOCK: Clock = { now: () => Date.now(), after: PROCESS_CLOCK.after };
