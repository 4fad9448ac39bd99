/** Where the bytes of a long answer are put together: a few large buffers instead of many small ones. */
const CHUNK_BYTES = 256 * 1024;

export class Chunks {
  /** bytes added so far */
  length = 0;
  #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  #used = 0;

  bytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#used += bytes.copy(this.#chunk, this.#used);
  }

  /** @param text of ASCII characters */
  ascii(text: string): void {
    this.#reserve(text.length);
    this.#used += this.#chunk.write(text, this.#used, 'latin1');
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#chunk[this.#used++] = value;
  }

  #reserve(needed: number): void {
    this.length += needed;
    if (this.#used + needed > this.#chunk.length) this.#turnOver(needed);
  }

  #turnOver(needed: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk.subarray(0, this.#used));
    this.#chunk = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, needed));
    this.#used = 0;
  }

  /** Forgets all that was added. */
  clear(): void {
    this.length = 0;
    this.#full = [];
    this.#used = 0;
  }

  /** What was added since the last call. */
  drain(): Buffer[] {
    if (this.#used > 0) {
      this.#full.push(this.#chunk.subarray(0, this.#used));
      this.#chunk = this.#chunk.subarray(this.#used);
      this.#used = 0;
    }
    const full = this.#full;
    this.#full = [];
    return full;
  }
}
