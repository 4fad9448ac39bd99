/** Waits until all is here that etcd had at a moment. Whoever comes while etcd is asked shares the next question, as who comes later may not share this one. */
export class SharedBarrier {
  readonly #ask: () => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param ask resolves when all is here that etcd had when it was called */
  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
  }

  pass(): Promise<void> {
    if (this.#underWay === undefined) return this.#begin();
    this.#next ??= this.#underWay.then(
      () => this.#begin(),
      () => this.#begin(),
    );
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    const asked = this.#ask().finally(() => {
      if (this.#underWay === asked) this.#underWay = undefined;
    });
    this.#underWay = asked;
    return asked;
  }
}
