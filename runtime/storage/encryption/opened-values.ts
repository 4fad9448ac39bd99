/**
 * What was decrypted or encrypted last, by revision: who reads it again costs no cipher. It lies in two pieces of memory that are filled in turn: what had memory
 * of its own for each value had the collector go through all that there is several times a second while much is written.
 */

/** A value as it was handed to the store, with its revision. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly outdated: boolean;
}

/** Of one piece of memory, and of one value. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_VALUE = 64 * 1024;

export class OpenedValues {
  #values = new Map<number, OpenedValue>();
  #before = new Map<number, OpenedValue>();
  /** made when something is kept */
  #memory: Buffer | undefined;
  #memoryBefore: Buffer | undefined;
  #bytes = 0;
  /** how often all was forgotten */
  generation = 0;

  /** Nobody may change the value; it is good for as long as one that the store gives where it has it: what is kept of it is copied. */
  get(revision: number): OpenedValue | undefined {
    return this.#values.get(revision) ?? this.#before.get(revision);
  }

  /** Copies what is not too long. */
  keep(revision: number, { value, outdated }: OpenedValue): void {
    const { length } = value;
    if (length > MAX_VALUE || this.get(revision) !== undefined) return;
    if (this.#bytes + length > MAX_BYTES) this.#exchange();
    this.#memory ??= Buffer.allocUnsafeSlow(MAX_BYTES);
    const start = this.#bytes;
    this.#bytes += length;
    value.copy(this.#memory, start);
    this.#values.set(revision, { value: this.#memory.subarray(start, this.#bytes), outdated });
  }

  /** What was kept before goes, and its memory is filled anew. */
  #exchange(): void {
    [this.#memory, this.#memoryBefore] = [this.#memoryBefore, this.#memory];
    this.#before = this.#values;
    this.#values = new Map();
    this.#bytes = 0;
  }

  /** What would be encrypted otherwise now is not the same any more. */
  forget(): void {
    this.#values = new Map();
    this.#before = new Map();
    this.#bytes = 0;
    this.generation++;
  }
}
