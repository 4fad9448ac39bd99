/** Ends what was begun in the reverse order, so that users of the store end before the store closes. */
export class Endings {
  readonly #all: (() => unknown)[] = [];

  /** @param end may return a promise; what was added earlier ends only after that has settled */
  add(end: () => unknown): void {
    this.#all.push(end);
  }

  /** Calls each function once, even if others fail or `run` is called again. @throws the first failure, after all functions were called */
  async run(): Promise<void> {
    const failures: unknown[] = [];
    for (let end = this.#all.pop(); end !== undefined; end = this.#all.pop()) {
      try {
        await end();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
