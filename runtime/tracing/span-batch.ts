/**
 * Spans that wait together, in memory of their own that is used again. A small buffer for each span would be a slice of a pool of eight kilobytes that Node shares
 * among buffers: it would keep the whole pool alive, and V8 would collect garbage more often because it counts that memory.
 */
const FIRST_BYTES = 64 * 1024;
/** Memory that has grown larger is not kept. */
const KEPT_BYTES = 1024 * 1024;

export class SpanBatch {
  #bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  /** where each span ends */
  readonly #ends: number[] = [];

  get count(): number {
    return this.#ends.length;
  }

  /** Bytes of all spans. */
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

  /** @returns the spans, which are valid until the batch is cleared */
  spans(): Buffer[] {
    return this.#ends.map((end, index) => this.#bytes.subarray(this.#ends[index - 1] ?? 0, end));
  }

  clear(): void {
    this.#ends.length = 0;
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }
}
