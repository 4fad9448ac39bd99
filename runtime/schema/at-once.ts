/** Runs work that yields between its pieces without a pause, because it is short. @returns its result. @throws what it throws */
export function atOnce<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
