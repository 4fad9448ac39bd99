/** Lets those who want the same thing have it one after another. */
export class Turns {
  readonly #maxWaiting: number;
  /** by key: the last in the row, and how many there are with the one whose turn it is */
  readonly #rows = new Map<string, { last: Promise<void>; length: number }>();

  /** @param maxWaiting of one key, besides the one whose turn it is */
  constructor(maxWaiting: number) {
    this.#maxWaiting = maxWaiting;
  }

  /**
   * @param signal takes one who waits out of the row; work under way ends by itself
   * @returns what the work gives; undefined where too many wait
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
