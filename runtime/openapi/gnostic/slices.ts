/** Splits long work into short steps, so that other requests are answered in between. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds after which a pause waits. A step is not interrupted, so steps must be small. */
const STEP = 4;

/** Waits until other events of the loop were handled. */
export function turn(): Promise<void> {
  return setImmediate();
}

/** Runs work that yields between its pieces, with pauses. @returns its result @throws what it throws */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  const pause = slices();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

/** @returns a function to be awaited between steps; it waits only if the time of a step is used up */
export function slices(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP) return undefined;
    return turn().then(() => {
      began = performance.now();
    });
  };
}
