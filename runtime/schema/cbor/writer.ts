/** Writes CBOR data items one after the other into a buffer that is reused. */
import { ONE_BYTE } from './head.ts';

/** Bytes of the first buffer, which most objects fit into. */
const INITIAL_BYTES = 16 * 1024;
/** A buffer that has grown larger is released after use. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** The most bytes of a head. */
const MOST_HEAD_BYTES = 9;
/** The most UTF-8 bytes of one UTF-16 code unit. */
const BYTES_PER_UNIT = 3;
const TWO_BYTES = 25;
const FOUR_BYTES = 26;
const EIGHT_BYTES = 27;

export class CborWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  /** Returns a copy of all that was written; the writer starts again. */
  finish(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#length));
    this.reset();
    return bytes;
  }

  reset(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    this.#length = 0;
  }

  /** @param value an unsigned integer of 64 bits */
  head(major: number, value: number | bigint): void {
    this.#reserve(MOST_HEAD_BYTES);
    const first = major << 5;
    if (value < ONE_BYTE) {
      this.#byte(first | Number(value));
    } else if (value < 0x100) {
      this.#byte(first | ONE_BYTE);
      this.#byte(Number(value));
    } else if (value < 0x1_0000) {
      this.#byte(first | TWO_BYTES);
      this.#length = this.#buffer.writeUInt16BE(Number(value), this.#length);
    } else if (value < 0x1_0000_0000) {
      this.#byte(first | FOUR_BYTES);
      this.#length = this.#buffer.writeUInt32BE(Number(value), this.#length);
    } else {
      this.#byte(first | EIGHT_BYTES);
      this.#length = this.#buffer.writeBigUInt64BE(BigInt(value), this.#length);
    }
  }

  /** Writes a head with a number of a given width. @param size bytes of `number` that are written */
  number(major: number, information: number, number: Buffer, size: number): void {
    this.#reserve(MOST_HEAD_BYTES);
    this.#byte((major << 5) | information);
    this.#length += number.copy(this.#buffer, this.#length, 0, size);
  }

  bytes(major: number, bytes: Buffer): void {
    this.head(major, bytes.length);
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#buffer, this.#length);
  }

  /** Writes the UTF-8 of a text as a string of the given major type. */
  text(major: number, text: string): void {
    this.head(major, Buffer.byteLength(text));
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#buffer.write(text, this.#length);
  }

  #byte(byte: number): void {
    this.#buffer[this.#length++] = byte;
  }

  #reserve(size: number): void {
    const wanted = this.#length + size;
    if (wanted <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(wanted, 2 * this.#buffer.length));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
