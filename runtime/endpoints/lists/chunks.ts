/** Where the bytes of a long answer are put together: a few large buffers instead of many small ones, used again once they are sent. */
const CHUNK_BYTES = 256 * 1024;
/** Buffers that are kept for the next lists. */
const MAX_SPARE = 64;

const spare: Buffer[] = [];

/** Bytes of an answer, in order. */
export interface Part {
  readonly bytes: Buffer;
  /** to be called once the connection has taken these bytes and all before them; never, where it broke */
  readonly sent?: () => void;
}

export class Chunks {
  /** bytes added so far */
  length = 0;
  #full: Part[] = [];
  #chunk: Buffer | undefined;
  /** bytes of `#chunk` that are filled, and that are drained */
  #used = 0;
  #drained = 0;

  bytes(bytes: Buffer): void {
    const chunk = this.#room(bytes.length);
    this.#used += bytes.copy(chunk, this.#used);
  }

  /** @param text of ASCII characters */
  ascii(text: string): void {
    const chunk = this.#room(text.length);
    this.#used += chunk.write(text, this.#used, 'latin1');
  }

  byte(value: number): void {
    this.#room(1)[this.#used++] = value;
  }

  /** @returns the chunk, with room for `needed` bytes */
  #room(needed: number): Buffer {
    this.length += needed;
    if (this.#chunk !== undefined && this.#used + needed <= this.#chunk.length) return this.#chunk;
    this.#turnOver();
    this.#chunk = needed > CHUNK_BYTES ? Buffer.allocUnsafeSlow(needed) : (spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES));
    return this.#chunk;
  }

  /** Gives up the chunk, which is used again once its last part is sent. */
  #turnOver(): void {
    const chunk = this.#chunk;
    if (chunk === undefined) return;
    this.#full.push({ bytes: chunk.subarray(this.#drained, this.#used), sent: () => reuse(chunk) });
    this.#chunk = undefined;
    this.#used = 0;
    this.#drained = 0;
  }

  /** Forgets all that was added. */
  clear(): void {
    this.length = 0;
    this.#full = [];
    this.#used = 0;
    this.#drained = 0;
  }

  /** What was added since the last call. @param last nothing is added any more */
  drain(last: boolean): Part[] {
    if (last) this.#turnOver();
    else if (this.#chunk !== undefined && this.#used > this.#drained) {
      this.#full.push({ bytes: this.#chunk.subarray(this.#drained, this.#used) });
      this.#drained = this.#used;
    }
    const full = this.#full;
    this.#full = [];
    return full;
  }
}

function reuse(chunk: Buffer): void {
  if (chunk.length === CHUNK_BYTES && spare.length < MAX_SPARE) spare.push(chunk);
}
