/** The body of an answer, for who records it. */
export class RecordedBody {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  /** whether it has all of the body, whatever the client has got of it */
  isWhole = false;

  /** @param limit bytes; of a body that is longer nothing is kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param bytes are copied at once */
  add(bytes: Buffer | string): void {
    if (this.#fits(bytes.length)) this.#pieces.push(Buffer.from(bytes as string));
  }

  /** @param bytes all of the body, copied at once */
  addAll(bytes: Buffer | string): void {
    this.add(bytes);
    this.isWhole = true;
  }

  /** @param bytes nobody changes them any more */
  keep(bytes: Buffer): void {
    if (this.#fits(bytes.length)) this.#pieces.push(bytes);
  }

  /** @param bytes all of the body; nobody changes them any more */
  keepAll(bytes: Buffer): void {
    this.keep(bytes);
    this.isWhole = true;
  }

  #fits(length: number): boolean {
    this.#length += length;
    if (this.#length <= this.#limit) return true;
    this.#pieces.length = 0;
    return false;
  }

  /** The bytes of the body, which nobody may change; undefined if it was longer than the limit. */
  get bytes(): Buffer | undefined {
    if (this.#length > this.#limit) return undefined;
    return this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
  }
}
