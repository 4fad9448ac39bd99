/**
 * A cache of the values that were decrypted or encrypted last, by revision, so that reading them again does not need a cipher. They are copied to two pieces of
 * memory, which are filled in turn: with memory of its own for each value, the garbage collector would go through the whole heap several times a second while
 * much is written.
 */

/** A value as it was handed to the store, with its revision. */
export interface OpenedValue {
  readonly value: Buffer;
  readonly outdated: boolean;
}

/** The bytes of one piece of memory. */
const MAX_BYTES = 8 * 1024 * 1024;
/** The most bytes of a value that is kept. */
const MAX_VALUE = 64 * 1024;

export class OpenedValues {
  #values = new Map<number, OpenedValue>();
  #before = new Map<number, OpenedValue>();
  /** the piece of memory that is being filled; it is made when the first value is kept */
  #memory: Buffer | undefined;
  #memoryBefore: Buffer | undefined;
  #bytes = 0;
  /** how often `forget` was called */
  generation = 0;

  /** Returns a value, which nobody may change. It is valid as long as a value that the store returns, so callers copy what they keep. */
  get(revision: number): OpenedValue | undefined {
    return this.#values.get(revision) ?? this.#before.get(revision);
  }

  /** Keeps a copy of a value, unless it is too long. */
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

  /** Drops the older values, and begins to fill their memory. */
  #exchange(): void {
    [this.#memory, this.#memoryBefore] = [this.#memoryBefore, this.#memory];
    this.#before = this.#values;
    this.#values = new Map();
    this.#bytes = 0;
  }

  /** Forgets all values. It is called when values would be encrypted in another way, so that `outdated` may have changed. */
  forget(): void {
    this.#values = new Map();
    this.#before = new Map();
    this.#bytes = 0;
    this.generation++;
  }
}
