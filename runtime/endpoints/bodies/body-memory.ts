/** The bytes of a body as they come. */
export class BodyMemory {
  #chunks: Buffer[] = [];
  #memory: Buffer<ArrayBuffer> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /**
   * From now on all goes to one piece of memory that nobody else has, and that another thread may get: each chunk is copied as it comes, so that
   * the end of a long body costs nothing.
   * @param capacity bytes of the whole body, as far as they are known
   */
  gather(capacity: number): void {
    const memory = Buffer.allocUnsafeSlow(Math.max(capacity, this.#size));
    let end = 0;
    for (const chunk of this.#chunks) end += chunk.copy(memory, end);
    this.#memory = memory;
    this.#chunks = [];
  }

  add(chunk: Buffer): void {
    const start = this.#size;
    this.#size += chunk.length;
    if (this.#memory === undefined) this.#chunks.push(chunk);
    else {
      // more than was said
      if (this.#size > this.#memory.length) this.#grow();
      chunk.copy(this.#memory, start);
    }
  }

  /** All that has come; nothing is kept of it. */
  take(): Buffer {
    const [chunks, memory] = [this.#chunks, this.#memory];
    this.#chunks = [];
    this.#memory = undefined;
    if (memory !== undefined) return memory.subarray(0, this.#size);
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  }

  /** The same, in memory that nobody else has. */
  takeOwn(): Uint8Array<ArrayBuffer> {
    if (this.#memory === undefined) return new Uint8Array(this.take());
    const { buffer } = this.#memory;
    this.#memory = undefined;
    return new Uint8Array(buffer, 0, this.#size);
  }

  #grow(): void {
    const before = this.#memory as Buffer;
    this.gather(2 * this.#size);
    before.copy(this.#memory as Buffer);
  }
}
