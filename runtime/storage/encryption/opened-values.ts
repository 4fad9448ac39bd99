/** What was decrypted or encrypted last, by revision: who reads it again costs no cipher. Nobody may change a value that is given. */

/** A value as it was handed to the store, with its revision. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly outdated: boolean;
}

/** Of the values that were kept last, besides which as much of those before is kept; and of one. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_VALUE = 64 * 1024;

export class OpenedValues {
  #values = new Map<number, OpenedValue>();
  #before = new Map<number, OpenedValue>();
  #bytes = 0;
  /** how often all was forgotten */
  generation = 0;

  get(revision: number): OpenedValue | undefined {
    return this.#values.get(revision) ?? this.#before.get(revision);
  }

  /** @param opened whose value nobody changes from now on, in memory of its own */
  keep(revision: number, opened: OpenedValue): void {
    const { length } = opened.value;
    if (length > MAX_VALUE || this.get(revision) !== undefined) return;
    if (this.#bytes + length > MAX_BYTES) {
      this.#before = this.#values;
      this.#values = new Map();
      this.#bytes = 0;
    }
    this.#values.set(revision, opened);
    this.#bytes += length;
  }

  /** What would be encrypted otherwise now is not the same any more. */
  forget(): void {
    this.#values = new Map();
    this.#before = new Map();
    this.#bytes = 0;
    this.generation++;
  }
}
