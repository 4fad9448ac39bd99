/** Steps through data items that are known to be well-formed: what is read is there. */
import { BREAK, HALF, INDEFINITE, informationOf, majorOf, numberAt, ONE_BYTE, PRIMITIVE } from './head.ts';
import { floatEndingAt } from './well-formed.ts';

export class CborReader {
  readonly bytes: Buffer;
  at = 0;

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

  /** The bytes of a string, put together where it comes in pieces. @param check is shown each of these */
  string(check?: (piece: Buffer) => void): Buffer {
    const length = this.head();
    if (length !== undefined) return this.#take(length as number);
    const pieces: Buffer[] = [];
    while (!this.ends()) {
      const piece = this.#take(this.head() as number);
      check?.(piece);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  #take(length: number): Buffer {
    const start = this.at;
    this.at += length;
    return this.bytes.subarray(start, this.at);
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
