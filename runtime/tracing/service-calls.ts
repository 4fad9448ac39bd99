/** Calls of gRPC services that no request has caused, or that nobody knows the request of: each is a trace of its own. */
import { status } from '@grpc/grpc-js';
import type { ServiceCallTracer, TraceAttributes, TracedServiceCall } from '../contract/trace.ts';
import { traceParent } from '../outbound/trace-headers.ts';
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
      const all = { ...attributesOf(path), ...attributes, 'rpc.grpc.status_code': numberOf(code) };
      this.#sink.add(
        spanBytes({
          traceId,
          spanId,
          parentId: undefined,
          name: path.slice(1),
          kind: 'client',
          start,
          end: performance.now(),
          attributes: Object.entries(all).flatMap(([key, value]) => [key, bounded(value)]),
          droppedAttributes: 0,
          events: [],
          droppedEvents: 0,
          link: undefined,
          problem: problem === undefined ? undefined : (bounded(problem.replace(BEFORE_WORDS, '')) as string),
        }),
      );
    };
    return { headers: { traceparent }, end };
  }
}

/** What stands before the words of the service in an error of gRPC, and is said by the code. */
const BEFORE_WORDS = /^rpc error: code = \w+ desc = /;

/** As instrumentation of OpenTelemetry for gRPC has it (semantic conventions 1.20). @param path `/SERVICE/METHOD` */
function attributesOf(path: string): TraceAttributes {
  const slash = path.lastIndexOf('/');
  return { 'rpc.system': 'grpc', 'rpc.service': path.slice(1, slash), 'rpc.method': path.slice(slash + 1) };
}

/** By the names of Go's library, such as `deadlineexceeded`. */
const NUMBERS: ReadonlyMap<string, number> = new Map(
  Object.entries(status).flatMap(([name, number]) =>
    typeof number === 'number' ? [[name.replaceAll('_', '').toLowerCase(), number] as const] : [],
  ),
);

/** What is no code of gRPC is unknown to it. */
const numberOf = (code: string): number => NUMBERS.get(code.toLowerCase()) ?? status.UNKNOWN;
