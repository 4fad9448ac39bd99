/** The trace of one request with its open spans. A span is written as bytes when it ends. */
import type { Part, Span, Trace, TraceAttributes, TracedCall, TracedServiceCall, TracePlace } from '../contract/trace.ts';
import { traceParent } from '../outbound/trace-headers.ts';
import { grpcAttributes, grpcProblem, grpcSpanName, grpcStatus } from './grpc-call.ts';
import { type AttributeValue, type EventRecord, type LinkRecord, type SpanRecord, spanBytes } from './span-bytes.ts';
import { randomSpanId } from './trace-ids.ts';

/** Takes spans that have ended. */
export interface SpanSink {
  /** @param span the message `Span` of OTLP */
  add(span: Buffer): void;
}

/** The most attributes of a span, as OpenTelemetry has it by default. */
const MOST_ATTRIBUTES = 128;
const MOST_EVENTS = 128;
/** The most characters of a text attribute. Texts of clients may be longer, and are cut. */
const MOST_TEXT = 4_096;

export interface RequestTraceOptions {
  readonly traceId: Buffer;
  /** the span that it continues, if another thread has begun the trace; absent: the trace begins here */
  readonly parentId?: Buffer | undefined;
  readonly sink: SpanSink;
  readonly auditId: string;
  /** name of its first span */
  readonly name: string;
  readonly attributes: TraceAttributes;
  readonly start: number;
  readonly link?: LinkRecord | undefined;
  /** the client's `baggage` header, which is passed on; absent: there is none */
  readonly baggage?: string | undefined;
}

export class RequestTrace implements Trace {
  readonly traceId: Buffer;
  readonly sink: SpanSink;
  readonly auditId: string;
  readonly root: RecordedSpan;
  readonly #baggage: string | undefined;
  #traceIdText: string | undefined;
  current: RecordedSpan;

  constructor({ traceId, parentId, sink, auditId, name, attributes, start, link, baggage }: RequestTraceOptions) {
    this.traceId = traceId;
    this.sink = sink;
    this.auditId = auditId;
    this.#baggage = baggage;
    const kind = parentId === undefined ? 'server' : 'internal';
    this.root = new RecordedSpan(this, { parentId, outer: undefined, name, kind, attributes, start, link });
    this.current = this.root;
  }

  get place(): TracePlace {
    return { traceId: this.#text, spanId: this.current.id };
  }

  get #text(): string {
    this.#traceIdText ??= this.traceId.toString('hex');
    return this.#traceIdText;
  }

  adopt(parts: readonly Uint8Array[]): void {
    for (const each of parts) this.sink.add(Buffer.from(each.buffer, each.byteOffset, each.byteLength));
  }

  at(id: string): Part {
    const parentId = Buffer.from(id, 'hex');
    return { id, begin: (name, attributes) => this.#part(parentId, name, attributes) };
  }

  #part(parentId: Buffer, name: string, attributes: TraceAttributes | undefined): RecordedSpan {
    return new RecordedSpan(this, { parentId, outer: undefined, name, kind: 'internal', attributes, start: performance.now() });
  }

  enter(name: string, attributes?: TraceAttributes): RecordedSpan {
    const span = new RecordedSpan(this, {
      parentId: this.current.spanId,
      outer: this.current,
      name,
      kind: 'internal',
      attributes,
      start: performance.now(),
    });
    this.current = span;
    return span;
  }

  during<T>(name: string, attributes: TraceAttributes | undefined, work: () => Promise<T>): Promise<T> {
    const span = this.enter(name, attributes);
    return work().finally(() => span.end());
  }

  /** Ends all open nested spans, and so the trace. */
  end(): void {
    for (let span: RecordedSpan | undefined = this.current; span !== undefined; span = span.outer) span.end();
    this.root.end();
  }

  /** Headers for a request to another server that belongs to one of its spans. */
  headersFor(spanId: Buffer): Record<string, string> {
    const traceparent = this.parentOf(spanId);
    return this.#baggage === undefined ? { traceparent } : { traceparent, baggage: this.#baggage };
  }

  /** The `traceparent` header for one of its spans. */
  parentOf(spanId: Buffer): string {
    return traceParent(this.#text, spanId.toString('hex'), true);
  }
}

interface SpanOptions {
  readonly parentId: Buffer | undefined;
  /** becomes the current span again when this one ends; absent: this one was never the current span */
  readonly outer: RecordedSpan | undefined;
  readonly name: string;
  readonly kind: SpanRecord['kind'];
  readonly attributes: TraceAttributes | undefined;
  readonly start: number;
  readonly link?: LinkRecord | undefined;
}

export class RecordedSpan implements Span {
  readonly spanId = randomSpanId();
  readonly outer: RecordedSpan | undefined;
  readonly #trace: RequestTrace;
  readonly #options: SpanOptions;
  readonly #attributes: AttributeValue[] = [];
  #droppedAttributes = 0;
  readonly #events: EventRecord[] = [];
  #droppedEvents = 0;
  #problem: string | undefined;
  #last: string | undefined;
  #isOver = false;

  constructor(trace: RequestTrace, options: SpanOptions) {
    this.#trace = trace;
    this.#options = options;
    this.outer = options.outer;
    if (options.attributes !== undefined) this.set(options.attributes);
  }

  get id(): string {
    return this.spanId.toString('hex');
  }

  begin(name: string, attributes?: TraceAttributes): RecordedSpan {
    return this.#part(name, 'internal', attributes);
  }

  #part(name: string, kind: SpanRecord['kind'], attributes: TraceAttributes | undefined): RecordedSpan {
    const options = { parentId: this.spanId, outer: undefined, name, kind, attributes, start: performance.now() };
    return new RecordedSpan(this.#trace, options);
  }

  beginCall(method: string, url: URL, body?: string | number): TracedCall {
    const span = this.#part(`HTTP ${method}`, 'client', callAttributes(method, url, body));
    return {
      headers: this.#trace.headersFor(span.spanId),
      end(outcome, length = 0) {
        if (typeof outcome !== 'number') span.fail(outcome.message);
        else {
          span.set({ 'http.status_code': outcome, ...(length > 0 && { 'http.response_content_length': length }) });
          if (outcome >= CLIENT_ERROR) span.fail('');
        }
        span.end();
      },
    };
  }

  /** The client's baggage is not passed to the service. */
  beginServiceCall(path: string, attributes: TraceAttributes): TracedServiceCall {
    const span = this.#part(grpcSpanName(path), 'client', { ...grpcAttributes(path), ...attributes });
    return {
      headers: { traceparent: this.#trace.parentOf(span.spanId) },
      end(code, problem) {
        span.set(grpcStatus(code));
        if (problem !== undefined) span.fail(grpcProblem(problem));
        span.end();
      },
    };
  }

  event(name: string, attributes?: TraceAttributes, at = performance.now()): void {
    if (this.#isOver) return;
    if (this.#events.length === MOST_EVENTS) {
      this.#droppedEvents++;
      return;
    }
    const flat: AttributeValue[] = [];
    for (const key in attributes) if (flat.length < 2 * MOST_ATTRIBUTES) flat.push(key, bounded(attributes[key] as AttributeValue));
    this.#events.push({ name, time: at, attributes: flat });
  }

  atEnd(name: string): void {
    this.#last = name;
  }

  set(attributes: TraceAttributes): void {
    if (this.#isOver) return;
    for (const key in attributes) {
      if (this.#attributes.length < 2 * MOST_ATTRIBUTES) this.#attributes.push(key, bounded(attributes[key] as AttributeValue));
      else this.#droppedAttributes++;
    }
  }

  /** @param problem '' if there is no message */
  fail(problem: string): void {
    this.#problem = bounded(problem) as string;
  }

  end(): void {
    if (this.#isOver) return;
    if (this.#last !== undefined) this.event(this.#last);
    this.#isOver = true;
    if (this.outer !== undefined && this.#trace.current === this) this.#trace.current = this.outer;
    const { parentId, name, kind, start, link } = this.#options;
    this.#trace.sink.add(
      spanBytes({
        traceId: this.#trace.traceId,
        spanId: this.spanId,
        parentId,
        name,
        kind,
        start,
        end: performance.now(),
        attributes: this.#attributes,
        droppedAttributes: this.#droppedAttributes,
        events: this.#events,
        droppedEvents: this.#droppedEvents,
        link,
        problem: this.#problem,
      }),
    );
  }
}

/** Statuses from this one on are failures for the caller. */
const CLIENT_ERROR = 400;

/** The attributes of HTTP calls as in 1.32 (semantic conventions 1.20 of OpenTelemetry). None of them names a user. */
function callAttributes(method: string, { origin, pathname, search, hostname, port }: URL, body: string | number = 0): TraceAttributes {
  const length = typeof body === 'number' ? body : Buffer.byteLength(body);
  return {
    'http.method': method,
    'http.url': `${origin}${pathname}${search}`,
    'net.peer.name': hostname,
    // the usual port is left out
    ...(port !== '' && { 'net.peer.port': Number(port) }),
    ...(length > 0 && { 'http.request_content_length': length }),
  };
}

/** A text of bounded length. */
export function bounded(value: AttributeValue): AttributeValue {
  return typeof value === 'string' && value.length > MOST_TEXT ? value.slice(0, MOST_TEXT) : value;
}
