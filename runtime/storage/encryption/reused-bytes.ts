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
