/** The part of a request's trace that another thread records, which has begun it. */
import type { Trace, TracePlace } from '../contract/trace.ts';
import { RequestTrace } from './request-trace.ts';
import { auditIdOf, type TracedRequest } from './tracer.ts';

/** Parts of one request; what comes after them is not kept. */
const MOST_PARTS = 2_048;

export class ContinuedTrace {
  readonly #place: TracePlace;
  readonly #parts: Uint8Array[] = [];
  #trace: RequestTrace | undefined;

  constructor(place: TracePlace) {
    this.#place = place;
  }

  /** Goes on with it. */
  begin(request: Pick<TracedRequest, 'id' | 'received'>): Trace {
    const { traceId, spanId } = this.#place;
    this.#trace = new RequestTrace({
      traceId: Buffer.from(traceId, 'hex'),
      parentId: Buffer.from(spanId, 'hex'),
      // in memory of its own, which can leave this thread
      sink: { add: (span) => void (this.#parts.length < MOST_PARTS && this.#parts.push(new Uint8Array(span))) },
      auditId: auditIdOf(request),
      name: NAME,
      attributes: {},
      start: request.received,
    });
    return this.#trace;
  }

  /** @returns what was recorded, as it is sent to collectors */
  end(): readonly Uint8Array[] {
    this.#trace?.end();
    return this.#parts;
  }
}

/** 1.32 has no such part. */
const NAME = 'Answer on another thread';
