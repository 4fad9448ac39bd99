/** A copy of the body of an answer, for who records it. */
export class RecordedBody {
  readonly #limit: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;

  /** @param limit bytes; of a body that is longer nothing is kept */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @param bytes are copied at once */
  add(bytes: Buffer | string): void {
    this.#length += bytes.length;
    if (this.#length > this.#limit) this.#pieces.length = 0;
    else this.#pieces.push(Buffer.from(bytes as string));
  }

  /** undefined for a body that was longer than the limit */
  get bytes(): Buffer | undefined {
    return this.#length > this.#limit ? undefined : Buffer.concat(this.#pieces);
  }
}
