/** A long body in pieces that others keep, put together on its way out: it is never in memory as a whole. */

/** Bytes that leave at a time. */
const AT_ONCE = 64 * 1024;

export class BodyPieces {
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** of all pieces, in bytes */
  get length(): number {
    return this.#length;
  }

  text(text: string): void {
    this.bytes(Buffer.from(text));
  }

  /** @param bytes nobody changes them until the body has left */
  bytes(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  /** All pieces one after the other, in new buffers of some size. */
  *chunks(): Generator<Buffer> {
    let chunk = Buffer.allocUnsafeSlow(Math.min(AT_ONCE, this.#length));
    let filled = 0;
    let left = this.#length;
    for (const piece of this.#pieces)
      for (let at = 0; at < piece.length; ) {
        const copied = piece.copy(chunk, filled, at);
        at += copied;
        filled += copied;
        if (filled < chunk.length) continue;
        yield chunk;
        left -= filled;
        filled = 0;
        chunk = Buffer.allocUnsafeSlow(Math.min(AT_ONCE, left));
      }
  }
}
