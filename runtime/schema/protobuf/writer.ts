/**
 * Writes protobuf from the end to the beginning: a message is complete before its length is written in front of it, so that lengths need no
 * second pass. Fields, elements and entries are therefore written in reverse order.
 */
const INITIAL_BYTES = 64 * 1024;
/** A buffer that has grown larger is released after use. */
const KEPT_BYTES = 4 * 1024 * 1024;
/** Shorter texts are written faster by a loop than by a native call. */
const SHORT_TEXT = 24;

export class BackwardWriter {
  #buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #start = INITIAL_BYTES;

  /** Bytes written so far. The difference of two lengths is the length of what was written in between. */
  get length(): number {
    return this.#buffer.length - this.#start;
  }

  /** Returns a copy of all that was written; the writer starts again. */
  finish(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(this.#start));
    this.reset();
    return bytes;
  }

  reset(): void {
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
    this.#start = this.#buffer.length;
  }

  tag(number: number, wireType: number): void {
    this.varint(number * 8 + wireType);
  }

  /** @param value an integer from 0 to 2^53-1 */
  varint(value: number): void {
    if (value < 0x80) {
      this.#reserve(1);
      this.#buffer[this.#start] = value;
      return;
    }
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.#reserve(size);
    let at = this.#start;
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#buffer[at++] = (rest % 0x80) | 0x80;
    this.#buffer[at] = rest;
  }

  /** Negative integers take ten bytes, as the encoding of protobuf says. */
  int64(value: number | bigint): void {
    if (value >= 0 && value <= Number.MAX_SAFE_INTEGER) return this.varint(Number(value));
    let rest = BigInt.asUintN(64, BigInt(value));
    const bytes: number[] = [];
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
    bytes.push(Number(rest));
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#start);
  }

  /** @param value an unsigned integer of 64 bits */
  fixed64(value: bigint): void {
    this.#reserve(8);
    this.#buffer.writeBigUInt64LE(value, this.#start);
  }

  /** @param value an unsigned integer of 32 bits */
  fixed32(value: number): void {
    this.#reserve(4);
    this.#buffer.writeUInt32LE(value, this.#start);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#buffer.writeDoubleLE(value, this.#start);
  }

  /** Writes a text with its length in front. */
  text(value: string): void {
    const before = this.length;
    if (value.length > SHORT_TEXT || !this.#ascii(value)) {
      const size = Buffer.byteLength(value);
      this.#reserve(size);
      this.#buffer.write(value, this.#start, size, size === value.length ? 'latin1' : 'utf8');
    }
    this.varint(this.length - before);
  }

  /** Writes bytes with their length in front. @param encoding of `value` */
  bytes(value: string, encoding: 'base64' | 'utf8'): void {
    const size = Buffer.byteLength(value, encoding);
    this.#reserve(size);
    this.#buffer.write(value, this.#start, size, encoding);
    this.varint(size);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#start);
  }

  /** Writes an ASCII text. @returns false for any other text, of which nothing is written */
  #ascii(value: string): boolean {
    this.#reserve(value.length);
    const buffer = this.#buffer;
    const start = this.#start;
    for (let i = 0; i < value.length; i++) {
      const code = value.charCodeAt(i);
      if (code > 0x7f) {
        this.#start += value.length;
        return false;
      }
      buffer[start + i] = code;
    }
    return true;
  }

  #reserve(size: number): void {
    if (size > this.#start) this.#grow(size);
    this.#start -= size;
  }

  #grow(size: number): void {
    const used = this.length;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#buffer.length * 2, used + size));
    this.#buffer.copy(larger, larger.length - used, this.#start);
    this.#start = larger.length - used;
    this.#buffer = larger;
  }
}
