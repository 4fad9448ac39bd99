/** Pseudo-random numbers (mulberry32), so that a seed gives the same decisions again. */
export class Random {
  #state: number;

  /** @param stream keeps apart what shares a seed */
  constructor(seed: number, stream: number) {
    this.#state = (seed + Math.imul(stream, 0x9e3779b9)) | 0;
  }

  /** 0 <= x < 1 */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** 0 <= n < below */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  of<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }
}
