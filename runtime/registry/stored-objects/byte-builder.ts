/** Builds bytes from texts in memory that is used again. The result is copied once, into memory of its size. */

/** The bytes that most values fit into. */
const USUAL_SIZE = 64 * 1024;
/** The most bytes in UTF-8 of a UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
/** The most code units of a text for which a loop is faster than a call of the runtime. */
const SHORT = 16;

/** Stands for a length of a counted text that 16 bits do not hold. */
export const LONG_LENGTH = 0xffff;

export class ByteBuilder {
  #bytes = Buffer.allocUnsafeSlow(USUAL_SIZE);
  #length = 0;

  /** bytes since `begin` */
  get length(): number {
    return this.#length;
  }

  /** Forgets what was built before. @param skipped bytes at the beginning that are written in the end, into what `finish` gives */
  begin(skipped: number): void {
    this.#length = skipped;
  }

  /** Appends a text as UTF-8. @returns the number of its bytes */
  text(text: string): number {
    const start = this.#length;
    const room = start + text.length * BYTES_PER_UNIT;
    if (room > this.#bytes.length) this.#grow(room);
    this.#length = (text.length <= SHORT ? this.#shortText(text) : undefined) ?? start + this.#bytes.write(text, start);
    return this.#length - start;
  }

  /** Appends bytes. */
  bytes(bytes: Buffer): void {
    const end = this.#length + bytes.length;
    if (end > this.#bytes.length) this.#grow(end);
    bytes.copy(this.#bytes, this.#length);
    this.#length = end;
  }

  /** Appends a text after its length, as a 16-bit integer; a length that does not fit follows `LONG_LENGTH`, as a 32-bit integer. */
  countedText(text: string): void {
    const at = this.#length;
    this.#length += 2;
    const length = this.text(text);
    if (length < LONG_LENGTH) this.#bytes.writeUInt16LE(length, at);
    else this.#longText(text, at);
  }

  #longText(text: string, at: number): void {
    this.#length = at + 6;
    const length = this.text(text);
    this.#bytes.writeUInt16LE(LONG_LENGTH, at);
    this.#bytes.writeUInt32LE(length, at + 2);
  }

  /** Appends a text of ASCII characters, whose first one replaces the last byte. */
  replaceLast(text: string): void {
    this.#length--;
    this.text(text);
  }

  /** @returns a copy of what was built */
  finish(): Buffer {
    const made = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(made, 0, 0, this.#length);
    if (this.#bytes.length > USUAL_SIZE) this.#bytes = Buffer.allocUnsafeSlow(USUAL_SIZE);
    return made;
  }

  /** @returns the end of the text; undefined where it is not ASCII */
  #shortText(text: string): number | undefined {
    const bytes = this.#bytes;
    let at = this.#length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return undefined;
      bytes[at++] = code;
    }
    return at;
  }

  #grow(room: number): void {
    const grown = Buffer.allocUnsafeSlow(room * 2);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
