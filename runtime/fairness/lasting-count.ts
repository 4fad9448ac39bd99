/** For how long a number had each of its values: what metrics tell of every moment, without a look at the clock besides those of the queues. */

export class LastingCount {
  #value = 0;
  #since: number;
  /** milliseconds by value */
  #lasted: number[] = [];

  /** @param now milliseconds of the same clock as in all other calls */
  constructor(now: number) {
    this.#since = now;
  }

  /** @param value a whole number, 0 or more */
  set(value: number, now: number): void {
    if (value === this.#value) return;
    this.#pass(now);
    this.#value = value;
  }

  /** @returns the values since the last call, each with the milliseconds that it had lasted */
  take(now: number): readonly (readonly [value: number, milliseconds: number])[] {
    this.#pass(now);
    const taken = Object.entries(this.#lasted).map(([value, lasted]) => [Number(value), lasted] as const);
    this.#lasted = [];
    return taken;
  }

  #pass(now: number): void {
    const lasted = now - this.#since;
    if (lasted <= 0) return;
    this.#lasted[this.#value] = (this.#lasted[this.#value] ?? 0) + lasted;
    this.#since = now;
  }
}
