/** Choices that a seed decides: of a seed always the same. */
export class Random {
  #state: number;

  /** @param seed any integer */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** From 0 on, below 1 (mulberry32). */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 on. @param limit above 0 */
  below(limit: number): number {
    return Math.floor(this.fraction() * limit);
  }

  /** @param part of all, from 0 to 1 */
  chance(part: number): boolean {
    return this.fraction() < part;
  }

  /** @param values not empty */
  oneOf<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T;
  }

  /** A list of up to `most` elements. */
  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  /** @returns random bytes, up to `most` of them */
  bytes(most: number): Buffer {
    return Buffer.from(this.list(most, () => this.below(256)));
  }
}
