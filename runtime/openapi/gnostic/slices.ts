/** Long work in short steps, so that other requests are answered between them. */
import { setImmediate } from 'node:timers/promises';

/** Milliseconds that one step may hold the event loop; what it began it finishes, so steps should be small. */
const STEP = 4;

/** Waits until what else is due has run. */
export function turn(): Promise<void> {
  return setImmediate();
}

/** Goes through what yields between its pieces. @returns its result. @throws what it throws */
export async function inSlices<T>(work: Generator<void, T, void>): Promise<T> {
  const pause = slices();
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    const waiting = pause();
    if (waiting !== undefined) await waiting;
  }
}

/** @returns a function to be awaited between steps; it waits only when the time of a step is used up */
export function slices(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP) return undefined;
    return turn().then(() => {
      began = performance.now();
    });
  };
}
