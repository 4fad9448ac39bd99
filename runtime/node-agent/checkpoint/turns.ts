/** Runs work with the same key one after the other. */
export class Turns {
  readonly #maxWaiting: number;
  /** by key: the end of the last work in the queue, and the queue's length with the work under way */
  readonly #rows = new Map<string, { last: Promise<void>; length: number }>();

  /** @param maxWaiting most works of one key that wait, besides the one under way */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * @param signal ends the wait, but not work that has begun
   * @returns the result of the work; undefined if too many wait
   * @throws what the work throws, or the reason of the signal
   */
  async take<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const row = this.#rows.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (row.length > this.#maxWaiting) return undefined;
    const before = row.last;
    const done = Promise.withResolvers<void>();
    row.last = before.then(() => done.promise);
    row.length++;
    this.#rows.set(key, row);
    try {
      await settledOrAborted(before, signal);
      return { value: await work() };
    } finally {
      done.resolve();
      row.length--;
      if (row.length === 0) this.#rows.delete(key);
    }
  }
}

async function settledOrAborted(turn: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(signal.reason);
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([turn, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
