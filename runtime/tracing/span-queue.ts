/**
 * Spans on their way to the collector, in batches, as the batch processor of OpenTelemetry has them: who ends a span never waits, and where the collector does
 * not keep up, is slow or is away, spans are dropped and counted.
 */

export interface BatchLimits {
  /** spans that may wait; what ends beyond that is dropped */
  readonly queued: number;
  /** spans of one batch */
  readonly batch: number;
  /** milliseconds that a span waits at most for others, where nothing is under way */
  readonly delay: number;
}

/** As OpenTelemetry has them by default. */
export const DEFAULT_LIMITS: BatchLimits = { queued: 2_048, batch: 512, delay: 5_000 };

/** Bytes of one batch: collectors take 4 MiB by default. */
const MOST_BATCH_BYTES = 3 * 1024 * 1024;
/** Milliseconds that what waits has when the server ends. */
const LAST_WAIT = 5_000;

/** Why spans are dropped: too many wait, the collector has not taken them, or the server has ended. */
export type DropReason = 'queue_full' | 'not_taken' | 'shutdown';

export interface SpanQueueParts {
  /** Rejects where the collector has not taken them. @param signal gives up, where the server is ending */
  readonly send: (spans: readonly Buffer[], signal: AbortSignal) => Promise<void>;
  readonly taken: (spans: number) => void;
  /** @param error what kept the collector from taking them; absent: it was not asked */
  readonly dropped: (spans: number, reason: DropReason, error?: unknown) => void;
  readonly limits?: BatchLimits;
  /** milliseconds; for tests */
  readonly lastWait?: number;
}

export class SpanQueue {
  readonly #parts: SpanQueueParts;
  readonly #limits: BatchLimits;
  readonly #giveUp = new AbortController();
  #waiting: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
  }

  add(span: Buffer): void {
    if (this.#closed) return this.#parts.dropped(1, 'shutdown');
    if (this.#waiting.length >= this.#limits.queued) return this.#parts.dropped(1, 'queue_full');
    this.#waiting.push(span);
    if (this.#sending !== undefined) return;
    if (this.#waiting.length >= this.#limits.batch) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#limits.delay).unref();
  }

  /** Sends what waits; what is not taken within some seconds is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    const limit = setTimeout(() => this.#giveUp.abort(), this.#parts.lastWait ?? LAST_WAIT);
    if (this.#sending === undefined) this.#send();
    while (this.#sending !== undefined) await this.#sending;
    clearTimeout(limit);
    const rest = this.#waiting.length;
    this.#waiting = [];
    if (rest > 0) this.#parts.dropped(rest, 'shutdown');
  }

  /** One batch after the other for as long as they are full, or the server is ending; then those that wait have the usual time. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0 || this.#giveUp.signal.aborted) return;
    this.#sending = this.#sendBatch(this.#nextBatch()).then(() => {
      this.#sending = undefined;
      if (this.#closed || this.#waiting.length >= this.#limits.batch) this.#send();
      else if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), this.#limits.delay).unref();
    });
  }

  #nextBatch(): Buffer[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && count < this.#limits.batch) {
      bytes += (this.#waiting[count] as Buffer).length;
      if (count > 0 && bytes > MOST_BATCH_BYTES) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #sendBatch(batch: readonly Buffer[]): Promise<void> {
    try {
      await this.#parts.send(batch, this.#giveUp.signal);
      this.#parts.taken(batch.length);
    } catch (error) {
      this.#parts.dropped(batch.length, this.#giveUp.signal.aborted ? 'shutdown' : 'not_taken', error);
    }
  }
}
