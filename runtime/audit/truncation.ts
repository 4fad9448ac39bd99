/** Removes the bodies from events that are too large for a backend, and drops those that are too large even without them. */
import type { AuditEvent } from './audit-event.ts';
import type { AuditBackend, Lost } from './delivery.ts';

export interface TruncationOptions {
  /** the most bytes of an event */
  readonly maxEventSize: number;
  /** the most bytes of events that are delivered together */
  readonly maxBatchSize: number;
  /** the key of the annotation that tells that bodies were removed */
  readonly annotation: string;
}

export class TruncatingBackend implements AuditBackend {
  readonly #backend: AuditBackend;
  readonly #options: TruncationOptions;
  readonly #lost: Lost;

  constructor(backend: AuditBackend, options: TruncationOptions, lost: Lost) {
    this.#backend = backend;
    this.#options = options;
    this.#lost = lost;
  }

  get name(): string {
    return this.#backend.name;
  }

  async deliver(events: readonly AuditEvent[], isAwaited = true): Promise<void> {
    const { maxBatchSize } = this.#options;
    let batch: AuditEvent[] = [];
    let size = 0;
    for (const event of events.flatMap((each) => this.#shortened(each) ?? [])) {
      const bytes = sizeOf(event);
      if (batch.length > 0 && size + bytes > maxBatchSize) {
        await this.#backend.deliver(batch, isAwaited);
        batch = [];
        size = 0;
      }
      batch.push(event);
      size += bytes;
    }
    if (batch.length > 0) await this.#backend.deliver(batch, isAwaited);
  }

  #shortened(event: AuditEvent): AuditEvent | undefined {
    const { maxEventSize, annotation } = this.#options;
    if (sizeOf(event) <= maxEventSize) return event;
    const shorter = event.withoutBodies(annotation);
    if (sizeOf(shorter) <= maxEventSize) return shorter;
    this.#lost(1, new Error('event is too large even after truncating'));
    return undefined;
  }

  hurry(): void {
    this.#backend.hurry?.();
  }

  close(): Promise<void> {
    return this.#backend.close();
  }
}

/** As in 1.32, with the end of the event's line. */
const sizeOf = (event: AuditEvent): number => event.length + 1;
