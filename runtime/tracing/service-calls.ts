/** Traces calls of gRPC services that belong to no recorded request. Each call is a trace of its own. */
import type { ServiceCallTracer, TraceAttributes, TracedServiceCall } from '../contract/trace.ts';
import { traceParent } from '../outbound/trace-headers.ts';
import { grpcAttributes, grpcProblem, grpcSpanName, grpcStatus } from './grpc-call.ts';
import { bounded, type SpanSink } from './request-trace.ts';
import { spanBytes } from './span-bytes.ts';
import { randomSpanId, type TraceIds } from './trace-ids.ts';

export class ServiceCalls implements ServiceCallTracer {
  readonly #ids: TraceIds;
  readonly #sink: SpanSink;

  constructor(ids: TraceIds, sink: SpanSink) {
    this.#ids = ids;
    this.#sink = sink;
  }

  beginServiceCall(path: string, attributes: TraceAttributes): TracedServiceCall {
    const traceId = this.#ids.draw();
    const spanId = randomSpanId();
    const traceparent = traceParent((traceId ?? this.#ids.unrecorded()).toString('hex'), spanId.toString('hex'), traceId !== undefined);
    if (traceId === undefined) return { headers: { traceparent }, end() {} };
    const start = performance.now();
    const end: TracedServiceCall['end'] = (code, problem) => {
      const all = { ...grpcAttributes(path), ...attributes, ...grpcStatus(code) };
      this.#sink.add(
        spanBytes({
          traceId,
          spanId,
          parentId: undefined,
          name: grpcSpanName(path),
          kind: 'client',
          start,
          end: performance.now(),
          attributes: Object.entries(all).flatMap(([key, value]) => [key, bounded(value)]),
          droppedAttributes: 0,
          events: [],
          droppedEvents: 0,
          link: undefined,
          problem: problem === undefined ? undefined : (bounded(grpcProblem(problem)) as string),
        }),
      );
    };
    return { headers: { traceparent }, end };
  }
}
