/** Goes through what yields between its pieces without a pause: for what is short. @returns its result. @throws what it throws */
export function atOnce<T>(work: Generator<void, T, void>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
