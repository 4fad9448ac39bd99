/** Ends what was begun, in the reverse order: so whatever uses the store ends before the store closes. */
export class Endings {
  readonly #all: (() => unknown)[] = [];

  /** @param end may give a promise: what began earlier ends when it has settled */
  add(end: () => unknown): void {
    this.#all.push(end);
  }

  /** Calls each function once, even if others fail, and however often `run` is called. @throws the first failure, behind all of them */
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
