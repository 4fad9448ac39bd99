/** What was decrypted or encrypted last, by revision: who reads it again costs no cipher. Nobody may change a value that is given. */

/** A value as it was handed to the store, with its revision. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly outdated: boolean;
}

/** Of all values that are kept, and of one. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_VALUE = 64 * 1024;

export class OpenedValues {
  readonly #values = new Map<number, OpenedValue>();
  #bytes = 0;

  get(revision: number): OpenedValue | undefined {
    return this.#values.get(revision);
  }

  /** @param opened whose value nobody changes from now on */
  keep(revision: number, opened: OpenedValue): void {
    const { length } = opened.value;
    if (length > MAX_VALUE || this.#values.has(revision)) return;
    this.#values.set(revision, opened);
    this.#bytes += length;
    for (const [oldest, { value }] of this.#values) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#values.delete(oldest);
      this.#bytes -= value.length;
    }
  }
}
