/** A long body in pieces that others keep, put together on its way out: it is never in memory as a whole. */

export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** The length of all pieces together, in bytes. */
  get length(): number {
    return this.#length;
  }

  /** The pieces in their order. Nobody may change them. */
  get pieces(): readonly Buffer[] {
    return this.#pieces;
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  /** @param bytes nobody changes them until the body has left */
  bytes(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** Reads the body from its beginning. */
  reader(): PiecesReader {
    return new PiecesReader(this.#pieces);
  }

  /** Copies the body into memory that another thread reads without a copy of its own, and yields between its parts. @returns the copy */
  *shared(): Generator<void, Buffer, void> {
    const whole = Buffer.from(new SharedArrayBuffer(this.#length));
    const reader = this.reader();
    for (let at = 0; at < whole.length; ) {
      at += reader.fill(whole.subarray(at, at + COPIED));
      yield;
    }
    return whole;
  }
}

/** Bytes that are copied between two yields: some tens of microseconds. */
const COPIED = 256 * 1024;

/** Goes through a body once. */
export class PiecesReader {
  readonly #pieces: readonly Buffer[];
  /** the index of the piece that is being read; `#at` is the index of its first byte that was not read */
  #piece = 0;
  #at = 0;

  constructor(pieces: readonly Buffer[]) {
    this.#pieces = pieces;
  }

  /** Copies what comes next. @returns bytes copied: fewer than the buffer has at the end of the body, 0 behind it */
  fill(buffer: Buffer): number {
    let filled = 0;
    for (let piece = this.#pieces[this.#piece]; piece !== undefined; piece = this.#pieces[++this.#piece]) {
      const copied = piece.copy(buffer, filled, this.#at);
      filled += copied;
      this.#at += copied;
      if (this.#at < piece.length) return filled;
      this.#at = 0;
    }
    return filled;
  }
}
