/** Long work in short steps, so that other requests are answered between them. */

/** Milliseconds that one step may hold the event loop; what it began it finishes, so steps should be small. */
const STEP = 5;

/** @returns a function to be awaited between steps; it waits only when the time of a step is used up */
export function slices(): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began < STEP) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        began = performance.now();
        resolve();
      });
    });
  };
}
