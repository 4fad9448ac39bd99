/**
 * Writes protobuf from the end to the beginning: the length of a nested message is known when its tag is written, so that nothing is copied
 * or measured twice.
 */
export class ReverseWriter {
  #bytes: Buffer;
  /** index of the first byte that is written */
  #start: number;

  constructor(capacity = 1 << 14) {
    this.#bytes = Buffer.allocUnsafe(capacity);
    this.#start = capacity;
  }

  /** bytes written so far */
  get length(): number {
    return this.#bytes.length - this.#start;
  }

  /** Returns a copy of the written bytes; the writer can go on. */
  finish(): Buffer {
    return Buffer.from(this.#bytes.subarray(this.#start));
  }

  /** Starts again in the same memory. */
  reset(): void {
    this.#start = this.#bytes.length;
  }

  text(field: number, text: string): void {
    const size = Buffer.byteLength(text);
    this.#reserve(size);
    this.#start -= size;
    this.#bytes.write(text, this.#start);
    this.delimit(field, size);
  }

  boolean(field: number, value: boolean): void {
    this.#varint(value ? 1 : 0);
    this.#varint(field << 3);
  }

  /** @param value integer from 0 to 2^53-1 */
  integer(field: number, value: number): void {
    this.#varint(value);
    this.#varint(field << 3);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#start -= 8;
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint((field << 3) | 1);
  }

  bytes(field: number, value: Buffer): void {
    this.#reserve(value.length);
    this.#start -= value.length;
    value.copy(this.#bytes, this.#start);
    this.delimit(field, value.length);
  }

  /** Turns the last `size` written bytes into the value of `field`. */
  delimit(field: number, size: number): void {
    this.#varint(size);
    this.#varint((field << 3) | 2);
  }

  #varint(value: number): void {
    let size = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++;
    this.#reserve(size);
    this.#start -= size;
    let position = this.#start;
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#bytes[position++] = (rest % 128) | 128;
    this.#bytes[position] = rest;
  }

  #reserve(size: number): void {
    if (this.#start >= size) return;
    const used = this.length;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, used + size));
    this.#bytes.copy(larger, larger.length - used, this.#start);
    this.#start = larger.length - used;
    this.#bytes = larger;
  }
}
