/** What has to be ended in the reverse order of its beginning, such as a store before which those end who use it. */
export class Endings {
  readonly #all: (() => unknown)[] = [];

  /** @param end may give a promise, which is waited for before what began earlier ends */
  add(end: () => unknown): void {
    this.#all.push(end);
  }

  /** Each is called once, although others fail and however often this is called. @throws what the first one that failed has thrown */
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
