/**
 * How work for a request adds to the trace of the request. Requests that are not traced, which are nearly all, have no trace, so code begins a part of a trace
 * by `trace?.enter(…)`, which costs nothing for them.
 */

/** Attributes of a part by their names, which are those of 1.32 if it has the attribute. */
export type TraceAttributes = Readonly<Record<string, string | number | boolean>>;

/** The headers of a request by their names in lower case. */
export type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What another server that is asked is told of a trace. */
export interface TraceParent {
  /**
   * Begins the question as a part of the trace. Absent if this server does not trace the request.
   * @param body the body, or its length in bytes; absent if there is none, or if its length is not known
   */
  beginCall?(method: string, url: URL, body?: string | number): TracedCall;
  /** the headers of a client whose own trace, if it has one, the other server continues; absent if it does not */
  readonly passedOn?: RequestHeaders;
}

/** A question to another server. */
export interface TracedCall {
  /** the headers that tell the other server of the trace (W3C Trace Context, W3C Baggage) */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Ends the part.
   * @param outcome the status of the answer, or why there is none.
   * @param length the length of the answer's body; absent if its head does not say it
   */
  end(outcome: number | Error, length?: number): void;
}

/** Traces calls of gRPC services, each as a trace of its own or as a part of the trace that it belongs to. */
export interface ServiceCallTracer {
  /** Begins a call. @param path the path of the method, such as `/v2.KeyManagementService/Status` */
  beginServiceCall(path: string, attributes: TraceAttributes): TracedServiceCall;
}

export interface TracedServiceCall {
  /** the headers to send with the call, which tell the service of the trace and whether it is recorded */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the part. @param code the status code, as Go's gRPC library spells it. @param problem the error that the service tells; absent if there is none */
  end(code: string, problem?: string): void;
}

/** A part of a trace, for code that knows nothing of its request. */
export interface Part {
  /** the id in hexadecimal digits */
  readonly id: string;
  /** Begins a part of this part. Several may be under way at the same time. */
  begin(name: string, attributes?: TraceAttributes): Span;
}

/** A part of a trace that has begun. After its end, calls have no effect. */
export interface Span extends Part, TraceParent, ServiceCallTracer {
  /** Notes that something has happened. @param at the time by `performance.now()`; default: now */
  event(name: string, attributes?: TraceAttributes, at?: number): void;
  /** Notes an event that happens when the part ends. */
  atEnd(name: string): void;
  /** Adds attributes that were not known at the begin. */
  set(attributes: TraceAttributes): void;
  end(): void;
}

/** The place in a trace that work on another thread belongs to, as ids in hexadecimal digits. */
export interface TracePlace {
  readonly traceId: string;
  readonly spanId: string;
}

/** The trace of one request. */
export interface Trace {
  /** the id that audit has for the request, in the length that traces have */
  readonly auditId: string;
  /** the innermost part that `enter` has begun and that has not ended */
  readonly current: Span;
  /** the place of the current part */
  readonly place: TracePlace;
  /** Adds parts that another thread has recorded, in the form in which collectors get them. */
  adopt(parts: readonly Uint8Array[]): void;
  /** Returns a part that another thread has begun. @param id its id */
  at(id: string): Part;
  /** Begins a part of the current part. The new part is the current one until it ends. */
  enter(name: string, attributes?: TraceAttributes): Span;
  /** Runs work as such a part. */
  during<T>(name: string, attributes: TraceAttributes | undefined, work: () => Promise<T>): Promise<T>;
}
