/** Steps through CBOR data items. The bytes must be well-formed, so nothing is read past their end. */
import { BREAK, HALF, INDEFINITE, informationOf, majorOf, numberAt, ONE_BYTE, PRIMITIVE } from './head.ts';
import { floatEndingAt } from './well-formed.ts';

/** Whether a byte continues a character of UTF-8. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

export class CborReader {
  readonly bytes: Buffer;
  at = 0;
  /** whether a chunk of the string that was read last began within a character */
  isCut = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** the first byte of the next item */
  get next(): number {
    return this.bytes[this.at] as number;
  }

  get major(): number {
    return majorOf(this.next);
  }

  /** @returns the number in the head, or the bits of a floating-point number; undefined for an indefinite length */
  head(): number | bigint | undefined {
    const information = informationOf(this.next);
    this.at++;
    if (information < ONE_BYTE) return information;
    if (information === INDEFINITE) return undefined;
    const size = 1 << (information - ONE_BYTE);
    this.at += size;
    return numberAt(this.bytes, this.at - size, size);
  }

  get isFloat(): boolean {
    return this.major === PRIMITIVE && informationOf(this.next) >= HALF;
  }

  /** The next item must be a floating-point number. */
  float(): number {
    const information = informationOf(this.next);
    this.head();
    return floatEndingAt(this.bytes, this.at, information);
  }

  /** The bytes of a string, whose chunks are joined if it has an indefinite length. */
  string(): Buffer {
    const length = this.head() as number | undefined;
    this.isCut = false;
    if (length === undefined) return this.#joined();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** A string may have as many chunks as bytes, so no object is made for each of them. */
  #joined(): Buffer {
    const start = this.at;
    let length = 0;
    while (!this.ends()) length += this.#passPiece();
    const joined = Buffer.allocUnsafe(length);
    this.at = start;
    for (let end = 0; !this.ends(); ) {
      const size = this.#passPiece();
      if (size > 0 && isContinuation(this.bytes[this.at - size] as number)) this.isCut = true;
      end += this.bytes.copy(joined, end, this.at - size, this.at);
    }
    return joined;
  }

  #passPiece(): number {
    const size = this.head() as number;
    this.at += size;
    return size;
  }

  /** Calls `act` for each element of an array, or at the key of each pair of a map. It must read that item. */
  each(act: (index: number) => void): void {
    const count = this.head();
    for (let i = 0; count === undefined ? !this.ends() : i < count; i++) act(i);
  }

  /** Skips a break. @returns whether there was one */
  ends(): boolean {
    if (this.next !== BREAK) return false;
    this.at++;
    return true;
  }
}
