/**
 * Sends spans to the collector in batches, as the batch processor of OpenTelemetry does. Whoever ends a span never waits for that. If the collector is too slow
 * or not reachable, spans are dropped and counted.
 */
import { SpanBatch } from './span-batch.ts';

export interface BatchLimits {
  /** the most spans that wait; further ones are dropped */
  readonly queued: number;
  /** the most spans of a batch */
  readonly batch: number;
  /** the most milliseconds that a span waits for others while no batch is being sent */
  readonly delay: number;
}

/** As OpenTelemetry has them by default. */
export const DEFAULT_LIMITS: BatchLimits = { queued: 2_048, batch: 512, delay: 5_000 };

/** The most bytes of a batch. Collectors accept 4 MiB by default. */
const MOST_BATCH_BYTES = 3 * 1024 * 1024;
/** Milliseconds for sending the waiting spans when the server ends. */
const LAST_WAIT = 5_000;

/** Why spans are dropped: too many wait, the collector has not taken them, or the server has ended. */
export type DropReason = 'queue_full' | 'not_taken' | 'shutdown';

export interface SpanQueueParts {
  /** Rejects if the collector has not accepted them. @param spans are valid until the promise is settled. @param signal gives up when the server ends */
  readonly send: (spans: readonly Buffer[], signal: AbortSignal) => Promise<void>;
  readonly taken: (spans: number) => void;
  /** @param error why the collector has not accepted them; absent: they were not sent */
  readonly dropped: (spans: number, reason: DropReason, error?: unknown) => void;
  readonly limits?: BatchLimits;
  /** milliseconds; for tests */
  readonly lastWait?: number;
}

export class SpanQueue {
  readonly #parts: SpanQueueParts;
  readonly #limits: BatchLimits;
  readonly #giveUp = new AbortController();
  /** full batches in their order */
  #full: SpanBatch[] = [];
  #filling = new SpanBatch();
  /** an empty batch whose memory is used again */
  #spare: SpanBatch | undefined;
  /** spans in all waiting batches */
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #closed = false;

  constructor(parts: SpanQueueParts) {
    this.#parts = parts;
    this.#limits = parts.limits ?? DEFAULT_LIMITS;
  }

  /** @param span is copied */
  add(span: Uint8Array): void {
    if (this.#closed) return this.#parts.dropped(1, 'shutdown');
    if (this.#waiting >= this.#limits.queued) return this.#parts.dropped(1, 'queue_full');
    if (this.#filling.count > 0 && this.#filling.length + span.length > MOST_BATCH_BYTES) this.#fillNext();
    this.#filling.add(span);
    this.#waiting++;
    if (this.#filling.count >= this.#limits.batch) this.#fillNext();
    if (this.#sending !== undefined) return;
    if (this.#full.length > 0) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), this.#limits.delay).unref();
  }

  /** Sends the waiting spans. Those that are not accepted within a few seconds are dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    const limit = setTimeout(() => this.#giveUp.abort(), this.#parts.lastWait ?? LAST_WAIT);
    if (this.#sending === undefined) this.#send();
    while (this.#sending !== undefined) await this.#sending;
    clearTimeout(limit);
    if (this.#waiting > 0) this.#parts.dropped(this.#waiting, 'shutdown');
    this.#waiting = 0;
  }

  #fillNext(): void {
    this.#full.push(this.#filling);
    this.#filling = this.#spare ?? new SpanBatch();
    this.#spare = undefined;
  }

  /** Sends one batch after the other while there are full ones, or while the server ends. Other spans wait for the usual delay. */
  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting === 0 || this.#giveUp.signal.aborted) return;
    if (this.#full.length === 0) this.#fillNext();
    const batch = this.#full.shift() as SpanBatch;
    this.#waiting -= batch.count;
    this.#sending = this.#sendBatch(batch).then(() => {
      this.#sending = undefined;
      batch.clear();
      this.#spare = batch;
      if (this.#closed || this.#full.length > 0) this.#send();
      else if (this.#waiting > 0) this.#timer ??= setTimeout(() => this.#send(), this.#limits.delay).unref();
    });
  }

  async #sendBatch(batch: SpanBatch): Promise<void> {
    try {
      await this.#parts.send(batch.spans(), this.#giveUp.signal);
      this.#parts.taken(batch.count);
    } catch (error) {
      this.#parts.dropped(batch.count, this.#giveUp.signal.aborted ? 'shutdown' : 'not_taken', error);
    }
  }
}
