/** Waits until everything is here that etcd had at the time of a call. Calls that come while etcd is asked share the next question: the answer to the current one may be too old for them. */
export class SharedBarrier {
  readonly #ask: () => Promise<void>;
  #underWay: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param ask resolves when everything is here that etcd had when it was called */
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
