/** Who waits until the view has come to a revision. */

interface Waiter {
  readonly revision: number;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

export class RevisionWaiters {
  #waiting: Waiter[] = [];
  #current: number;
  #ended: Error | undefined;

  constructor(current: number) {
    this.#current = current;
  }

  /** Resolves at once where the view is there. Rejects with what `end` is given. */
  reached(revision: number): Promise<void> {
    if (revision <= this.#current) return Promise.resolve();
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((reached, failed) => this.#waiting.push({ revision, reached, failed }));
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  get current(): number {
    return this.#current;
  }

  advance(revision: number): void {
    this.#current = revision;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of waiting) if (waiter.revision <= revision) waiter.reached();
  }

  /** Whoever waits is told that it is over, now and later. */
  end(error: Error): void {
    this.#ended = error;
    for (const { failed } of this.#waiting.splice(0)) failed(error);
  }
}
