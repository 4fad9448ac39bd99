/**
 * Spans that wait together, in memory that is theirs alone and is used again. A span in a buffer of its own would be a slice of memory that Node shares
 * among all small buffers: it would keep eight kilobytes from being freed, which V8 counts, and for which it goes through the whole heap.
 */
const FIRST_BYTES = 64 * 1024;
/** Memory that has grown beyond this is not kept. */
const KEPT_BYTES = 1024 * 1024;

export class SpanBatch {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** where each span ends */
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** Bytes of all its spans. */
  get length(): number {
    return this.#ends.at(-1) ?? 0;
  }

  /** @param span is copied */
  add(span: Uint8Array): void {
    const start = this.length;
    const end = start + span.length;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(span, start);
    this.#ends.push(end);
  }

  #grow(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(least, 2 * this.#bytes.length));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
  }

  /** @returns its spans, good until it is cleared */
  spans(): Buffer[] {
    return this.#ends.map((end, index) => this.#bytes.subarray(this.#ends[index - 1] ?? 0, end));
  }

  clear(): void {
    this.#ends.length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }
}
