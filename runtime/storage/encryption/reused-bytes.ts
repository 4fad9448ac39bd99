/** Memory for what is copied before the next one of its kind is made: most values fit, and none of them leaves anything to the collector. */

/** Bytes; what is longer gets memory of its own. */
const SIZE = 64 * 1024;

export class ReusedBytes {
  #bytes: Buffer | undefined;

  /** @returns bytes with any content, the caller's until the next call */
  take(length: number): Buffer {
    if (length > SIZE) return Buffer.allocUnsafeSlow(length);
    this.#bytes ??= Buffer.allocUnsafeSlow(SIZE);
    return this.#bytes.subarray(0, length);
  }
}

/** Bytes of the shortest piece that is lent; each further sort is twice as long, up to `SIZE`. */
const SHORTEST = 4 * 1024;
/** Pieces of one sort that wait for the next one: as many as are written at once. */
const MOST_WAITING = 64;

/** Memory for what lasts until it is given back. */
export class LentBytes {
  /** the memory that was given back, by its length */
  readonly #waiting = new Map<number, Buffer[]>();

  /** @returns memory of at least `length` bytes, with any content */
  lend(length: number): Buffer {
    if (length > SIZE) return Buffer.allocUnsafeSlow(length);
    let size = SHORTEST;
    while (size < length) size *= 2;
    return this.#waiting.get(size)?.pop() ?? Buffer.allocUnsafeSlow(size);
  }

  /** @param memory that was lent, and that nobody looks at any more */
  giveBack(memory: Buffer): void {
    const { length } = memory;
    if (length > SIZE) return;
    const waiting = this.#waiting.get(length);
    if (waiting === undefined) this.#waiting.set(length, [memory]);
    else if (waiting.length < MOST_WAITING) waiting.push(memory);
  }
}
