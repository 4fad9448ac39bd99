/** Who waits until the view has come to a revision. */

/** Milliseconds between looks at those who wait. */
const LOOKS = 500;

interface Waiter {
  readonly revision: number;
  /** of `performance.now()` */
  readonly since: number;
  readonly milliseconds: number;
  readonly late: () => Error;
  readonly reached: () => void;
  readonly failed: (error: Error) => void;
}

export class RevisionWaiters {
  /** by when they began to wait */
  #waiting: Waiter[] = [];
  #current: number;
  readonly #waits: (since: number) => void;
  #looking: NodeJS.Timeout | undefined;
  #ended: Error | undefined;

  /** @param waits hears from time to time, as long as somebody waits, since when the first of them does, by `performance.now()` */
  constructor(current: number, waits: (since: number) => void) {
    this.#current = current;
    this.#waits = waits;
  }

  /** Resolves at once where the view is there. Rejects with `late` after so many milliseconds, or up to half a second later, and with what `end` is given. */
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

  /** Whoever waits is told that it is over, now and later. */
  end(error: Error): void {
    this.#ended = error;
    clearInterval(this.#looking);
    this.#looking = undefined;
    for (const { failed } of this.#waiting.splice(0)) failed(error);
  }
}
