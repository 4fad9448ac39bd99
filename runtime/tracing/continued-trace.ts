/** Records a part of a request's trace on another thread than the one that has begun the trace. */
import type { Trace, TracePlace } from '../contract/trace.ts';
import { RequestTrace } from './request-trace.ts';
import { auditIdOf, type TracedRequest } from './tracer.ts';

/** The most spans of one request; later ones are dropped. */
const MOST_PARTS = 2_048;

export class ContinuedTrace {
  readonly #place: TracePlace;
  readonly #parts: Uint8Array[] = [];
  #trace: RequestTrace | undefined;

  constructor(place: TracePlace) {
    this.#place = place;
  }

  /** Continues the trace on this thread. */
  begin(request: Pick<TracedRequest, 'id' | 'received'>): Trace {
    const { traceId, spanId } = this.#place;
    this.#trace = new RequestTrace({
      traceId: Buffer.from(traceId, 'hex'),
      parentId: Buffer.from(spanId, 'hex'),
      // each span gets its own memory, so that it can be transferred to another thread
      sink: { add: (span) => void (this.#parts.length < MOST_PARTS && this.#parts.push(new Uint8Array(span))) },
      auditId: auditIdOf(request),
      name: NAME,
      attributes: {},
      start: request.received,
    });
    return this.#trace;
  }

  /** @returns the recorded spans in the form in which collectors get them */
  end(): readonly Uint8Array[] {
    this.#trace?.end();
    return this.#parts;
  }
}

/** Name of the span. 1.32 has no such span. */
const NAME = 'Answer on another thread';
