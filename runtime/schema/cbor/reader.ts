/** Steps through data items that are known to be well-formed: what is read is there. */
import { BREAK, HALF, INDEFINITE, informationOf, majorOf, numberAt, ONE_BYTE, PRIMITIVE } from './head.ts';
import { floatEndingAt } from './well-formed.ts';

/** Whether a byte of UTF-8 is one that goes on with a character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

export class CborReader {
  readonly bytes: Buffer;
  at = 0;
  /** whether a piece of the string that was read last began within a character */
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

  /** @returns the number in the head, of a floating-point number its bits; undefined for an indefinite length */
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

  /** Where one is next. */
  float(): number {
    const information = informationOf(this.next);
    this.head();
    return floatEndingAt(this.bytes, this.at, information);
  }

  /** The bytes of a string, put together where it comes in pieces. */
  string(): Buffer {
    const length = this.head() as number | undefined;
    this.isCut = false;
    if (length === undefined) return this.#joined();
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** There may be as many pieces as bytes: nothing is made of each. */
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

  /** Calls for each element of an array, or for each key of a map, at which the reader then stands. */
  each(act: (index: number) => void): void {
    const count = this.head();
    for (let i = 0; count === undefined ? !this.ends() : i < count; i++) act(i);
  }

  /** Passes a break. @returns whether there was one */
  ends(): boolean {
    if (this.next !== BREAK) return false;
    this.at++;
    return true;
  }
}
