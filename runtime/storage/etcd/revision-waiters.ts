/** Callers that wait until the view has reached a revision. */

/** Milliseconds between checks of those who wait. */
const LOOKS = 500;

interface Waiter {
  readonly revision: number;
  /** when the waiting began, by `performance.now()` */
  readonly since: number;
  readonly milliseconds: number;
  readonly late: () => Error;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

export class RevisionWaiters {
  /** ordered by when they began to wait */
  #waiting: Waiter[] = [];
  #current: number;
  readonly #waits: (since: number) => void;
  #looking: NodeJS.Timeout | undefined;
  #ended: Error | undefined;

  /** @param waits called regularly while somebody waits, with the time since when the first one does (by `performance.now()`) */
  constructor(current: number, waits: (since: number) => void) {
    this.#current = current;
    this.#waits = waits;
  }

  /** Resolves when the view has reached the revision. Rejects with `late` after `milliseconds`, or up to half a second later, and with the error of `end`. */
  reached(revision: number, milliseconds: number, late: () => Error): Promise<void> {
    if (revision <= this.#current) return Promise.resolve();
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#looking ??= setInterval(() => this.#look(), LOOKS).unref();
    const since = performance.now();
    return new Promise((reached, failed) => this.#waiting.push({ revision, since, milliseconds, late, reached, failed }));
  }

  #look(): void {
    const now = performance.now();
    const isLate = ({ since, milliseconds }: Waiter): boolean => now - since >= milliseconds;
    const late = this.#waiting.filter(isLate);
    if (late.length > 0) this.#waiting = this.#waiting.filter((waiter) => !isLate(waiter));
    for (const waiter of late) waiter.failed(waiter.late());
    const [first] = this.#waiting;
    if (first !== undefined) return this.#waits(first.since);
    clearInterval(this.#looking);
    this.#looking = undefined;
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

  /** Rejects all who wait now or later for a revision that is not reached. */
  end(error: Error): void {
    this.#ended = error;
    clearInterval(this.#looking);
    this.#looking = undefined;
    for (const { failed } of this.#waiting.splice(0)) failed(error);
  }
}
