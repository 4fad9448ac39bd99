import { setImmediate as round } from 'node:timers/promises';

/** Rounds of the event loop in which all arrives here that this process has sent to itself. */
const ROUNDS = 50;

/** Waits until nothing more is counted, for what goes between two ends in this process. */
export async function quiet(count: () => number): Promise<void> {
  let last = count();
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    await round();
    const now = count();
    if (now !== last) rounds = 0;
    last = now;
  }
}
